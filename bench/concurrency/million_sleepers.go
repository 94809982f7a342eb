// SPDX-License-Identifier: MIT

// A million goroutines each sleep a time of their own, below a second, and are
// counted when they wake.
package main

import (
	"fmt"
	"time"
)

const n = 1_000_000

func main() {
	done := make(chan int, 128)
	for i := 0; i < n; i++ {
		go func(us int) {
			time.Sleep(time.Duration(us) * time.Microsecond)
			done <- 1
		}(i * 7919 % 1_000_000)
	}
	count := 0
	for i := 0; i < n; i++ {
		count += <-done
	}
	fmt.Println(count)
}
