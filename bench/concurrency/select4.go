// SPDX-License-Identifier: MIT

// Four goroutines, each with a channel of its own; a select takes from all.
package main

import "fmt"

const n = 500_000

func feed(first int) <-chan int {
	c := make(chan int)
	go func() {
		for i := 0; i < n; i++ {
			c <- first + i
		}
	}()
	return c
}

func main() {
	a := feed(0)
	b := feed(1)
	c := feed(2)
	d := feed(3)
	fromA, fromB, fromC, fromD := 0, 0, 0, 0
	for i := 0; i < 4*n; i++ {
		select {
		case v := <-a:
			fromA += v
		case v := <-b:
			fromB += v
		case v := <-c:
			fromC += v
		case v := <-d:
			fromD += v
		}
	}
	fmt.Println(fromA, fromB, fromC, fromD)
}
