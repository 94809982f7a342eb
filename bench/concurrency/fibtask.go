// SPDX-License-Identifier: MIT

// Parallel Fibonacci numbers: one half of each call is a goroutine of its own.
package main

import "fmt"

func fib(n int) int {
	if n < 2 {
		return n
	}
	t := make(chan int, 1)
	go func() { t <- fib(n - 1) }()
	b := fib(n - 2)
	return <-t + b
}

func main() {
	fmt.Println(fib(28))
}
