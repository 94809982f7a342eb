// SPDX-License-Identifier: MIT

// Four goroutines that only compute, each on its own.
package main

import "fmt"

const (
	workers = 4
	steps   = 25_000_000
)

func work(seed int) int {
	x, sum := seed, 0
	for i := 0; i < steps; i++ {
		x = (x*31 + i) % 1_000_003
		sum += x
	}
	return sum
}

func main() {
	var results [workers]chan int
	for w := range results {
		c := make(chan int, 1)
		results[w] = c
		go func(w int) { c <- work(w) }(w)
	}
	for _, c := range results {
		fmt.Println(<-c)
	}
}
