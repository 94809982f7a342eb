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

func main() {
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
	if len(os.Args) == 3 {
		panic(http.ServeTLS(listener, mux, os.Args[1], os.Args[2]))
	}
	panic(http.Serve(listener, mux))
}
