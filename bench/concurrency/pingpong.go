// SPDX-License-Identifier: MIT

// Two goroutines hand a number back and forth over unbuffered channels.
package main

import "fmt"

const trips = 2_000_000

func main() {
	ping := make(chan int)
	pong := make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
	}()
	v := 0
	for i := 0; i < trips; i++ {
		ping <- v
		v = <-pong
	}
	close(ping)
	fmt.Println(v)
}
