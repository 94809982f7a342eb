// SPDX-License-Identifier: MIT

// Eight goroutines send to one unbuffered channel, four receive from it.
package main

import (
	"fmt"
	"sync"
)

const (
	senders   = 8
	receivers = 4
	each      = 600_000
)

func main() {
	c := make(chan int)
	sums := make(chan int, receivers)

	var sending sync.WaitGroup
	sending.Add(senders)
	for s := 0; s < senders; s++ {
		go func(first int) {
			defer sending.Done()
			for i := 0; i < each; i++ {
				c <- first + i
			}
		}(s)
	}
	for r := 0; r < receivers; r++ {
		go func() {
			sum := 0
			for v := range c {
				sum += v
			}
			sums <- sum
		}()
	}

	sending.Wait()
	close(c)
	sum := 0
	for r := 0; r < receivers; r++ {
		sum += <-sums
	}
	fmt.Println(sum)
}
