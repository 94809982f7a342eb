// SPDX-License-Identifier: MIT

// A binary tree of goroutines: each node starts two and adds up what they
// give; each leaf gives 1.
package main

import "fmt"

func tree(depth int, result chan<- int) {
	if depth == 0 {
		result <- 1
		return
	}
	children := make(chan int, 2)
	go tree(depth-1, children)
	go tree(depth-1, children)
	result <- <-children + <-children
}

func main() {
	result := make(chan int, 1)
	tree(18, result)
	fmt.Println(<-result)
}
