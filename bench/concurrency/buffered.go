// SPDX-License-Identifier: MIT

// One producer, one consumer, and a channel of 128 ints between them.
package main

import "fmt"

const n = 16_000_000

func main() {
	c := make(chan int, 128)
	go func() {
		for i := 0; i < n; i++ {
			c <- i
		}
		close(c)
	}()
	sum := 0
	for v := range c {
		sum += v
	}
	fmt.Println(sum)
}
