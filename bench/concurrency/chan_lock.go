// SPDX-License-Identifier: MIT

// Eight goroutines count under a lock made of a channel with room for one.
package main

import (
	"fmt"
	"sync"
)

const (
	goroutines = 8
	each       = 600_000
)

func main() {
	lock := make(chan bool, 1)
	total := 0
	var done sync.WaitGroup
	done.Add(goroutines)
	for g := 0; g < goroutines; g++ {
		go func() {
			defer done.Done()
			for i := 0; i < each; i++ {
				lock <- true
				total++
				<-lock
			}
		}()
	}
	done.Wait()
	fmt.Println(total)
}
