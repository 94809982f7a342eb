// SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"net"
)

func serve(c net.Conn) {
	defer c.Close()
	b := make([]byte, 65536)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		if _, err = c.Write(b[:n]); err != nil {
			return
		}
	}
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go serve(c)
	}
}
