// SPDX-License-Identifier: MIT

// Eight goroutines send to one unbuffered channel, and one receives.
package main

import "fmt"

const (
	senders = 8
	each    = 400_000
)

func main() {
	c := make(chan int)
	for s := 0; s < senders; s++ {
		go func(first int) {
			for i := 0; i < each; i++ {
				c <- first + i
			}
		}(s)
	}
	sum := 0
	for i := 0; i < senders*each; i++ {
		sum += <-c
	}
	fmt.Println(sum)
}
