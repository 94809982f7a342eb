// SPDX-License-Identifier: MIT

// One goroutine starts groups of ten that do next to nothing, and waits for
// each group.
package main

import (
	"fmt"
	"sync"
)

const (
	groups  = 160_000
	members = 10
)

func main() {
	total := 0
	results := make([]int, members)
	for g := 0; g < groups; g++ {
		var all sync.WaitGroup
		all.Add(members)
		for m := 0; m < members; m++ {
			go func(n int) {
				defer all.Done()
				results[n] = n
			}(m)
		}
		all.Wait()
		total += results[9]
	}
	fmt.Println(total)
}
