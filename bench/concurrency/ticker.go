// SPDX-License-Identifier: MIT

// How late a goroutine wakes that sleeps 1 ms, a thousand times, while a
// goroutine that only computes keeps every processor busy.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"time"
)

const naps = 1_000

func main() {
	for i := 0; i < runtime.GOMAXPROCS(0); i++ {
		go func() {
			x := 0
			for {
				x++
			}
		}()
	}

	late := make([]int, 0, naps)
	for i := 0; i < naps; i++ {
		start := time.Now()
		time.Sleep(time.Millisecond)
		late = append(late, int(time.Since(start)-time.Millisecond))
	}
	sort.Ints(late)
	fmt.Println("done", len(late))
	fmt.Printf("p50: %d us\n", late[naps*50/100]/1000)
	fmt.Printf("p99: %d us\n", late[naps*99/100]/1000)
}
