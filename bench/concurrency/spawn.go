// SPDX-License-Identifier: MIT

// Starts goroutines: first one after the other, each waited for at once, then
// in batches that are all there before the first is waited for.
package main

import (
	"fmt"
	"sync"
)

const (
	single  = 800_000
	batches = 800
	batch   = 1_000
)

func work(n int) int { return n % 7 }

func main() {
	sum := 0
	for i := 0; i < single; i++ {
		done := make(chan int, 1)
		go func(i int) { done <- work(i) }(i)
		sum += <-done
	}
	fmt.Println("one by one", sum)

	sum = 0
	for b := 0; b < batches; b++ {
		var wg sync.WaitGroup
		results := make([]int, batch)
		wg.Add(batch)
		for i := 0; i < batch; i++ {
			go func(i int) {
				defer wg.Done()
				results[i] = work(b + i)
			}(i)
		}
		wg.Wait()
		for _, r := range results {
			sum += r
		}
	}
	fmt.Println("in batches", sum)
}
