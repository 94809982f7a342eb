// SPDX-License-Identifier: MIT

// 503 goroutines in a ring hand a token on; it counts down, and the goroutine
// that gets the zero tells its number.
package main

import "fmt"

const (
	size = 503
	hops = 4_000_000
)

func node(id int, from <-chan int, to chan<- int, done chan<- int) {
	for {
		token := <-from
		if token == 0 {
			done <- id
			return
		}
		to <- token - 1
	}
}

func main() {
	done := make(chan int)
	first := make(chan int)
	from := first
	for id := 1; id < size; id++ {
		to := make(chan int)
		go node(id, from, to, done)
		from = to
	}
	go node(size, from, first, done)
	first <- hops
	fmt.Println(<-done)
}
