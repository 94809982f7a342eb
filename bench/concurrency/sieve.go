// SPDX-License-Identifier: MIT

// The concurrent prime sieve: a chain of goroutines, one for each prime, that
// lets through what its prime does not divide.
package main

import "fmt"

const count = 2_500

func numbers() <-chan int {
	c := make(chan int)
	go func() {
		for i := 2; ; i++ {
			c <- i
		}
	}()
	return c
}

func filter(from <-chan int, prime int) <-chan int {
	c := make(chan int)
	go func() {
		for n := range from {
			if n%prime != 0 {
				c <- n
			}
		}
	}()
	return c
}

func main() {
	c := numbers()
	prime, sum := 0, 0
	for i := 0; i < count; i++ {
		prime = <-c
		sum += prime
		c = filter(c, prime)
	}
	fmt.Println(prime, sum)
}
