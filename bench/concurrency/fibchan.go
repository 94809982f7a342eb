// SPDX-License-Identifier: MIT

// Fibonacci numbers with a goroutine and a channel for each call.
package main

import "fmt"

func fib(n int) <-chan int {
	result := make(chan int)
	go func() {
		defer close(result)
		if n <= 2 {
			result <- 1
			return
		}
		result <- <-fib(n-1) + <-fib(n-2)
	}()
	return result
}

func main() {
	fmt.Println(<-fib(29))
}
