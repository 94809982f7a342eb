// SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// What the hog computes: without it the loop could be left out.
var computed uint64

func hog() {
	x := uint64(1)
	for {
		x = x*1664525 + 1013904223
		computed = x
	}
}

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "hog" {
		args = args[1:]
		go hog()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/hello/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "hello "+strings.TrimPrefix(r.URL.Path, "/hello/"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "home") })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	if len(args) == 2 {
		panic(http.ServeTLS(listener, mux, args[0], args[1]))
	}
	panic(http.Serve(listener, mux))
}
