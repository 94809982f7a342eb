// SPDX-License-Identifier: MIT

// The programs of tasks.c (../) with goroutines and channels. GOMAXPROCS sets
// the workers.
//
//	go WORKLOAD WORKERS SIZE
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

const ring = 503

func fib(n int, result chan<- int) {
	if n < 2 {
		result <- n
		return
	}
	parts := make(chan int, 2)
	go fib(n-1, parts)
	go fib(n-2, parts)
	result <- <-parts + <-parts
}

func skynet(number, size int, result chan<- int) {
	if size == 1 {
		result <- number
		return
	}
	parts := make(chan int, 10)
	for i := 0; i < 10; i++ {
		go skynet(number+i*(size/10), size/10, parts)
	}
	sum := 0
	for i := 0; i < 10; i++ {
		sum += <-parts
	}
	result <- sum
}

func tree(work func(result chan<- int)) int {
	result := make(chan int, 1)
	go work(result)
	return <-result
}

func node(id int, from <-chan int, to, done chan<- int) {
	for token := range from {
		if token == 0 {
			done <- id
		} else {
			to <- token - 1
		}
	}
}

func newRing() (chan<- int, <-chan int) {
	done, first := make(chan int), make(chan int)
	from := first
	for id := 1; id < ring; id++ {
		to := make(chan int)
		go node(id, from, to, done)
		from = to
	}
	go node(ring, from, first, done)
	return first, done
}

func newPong() (chan<- int, <-chan int) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for value := range ping {
			pong <- value + 1
		}
	}()
	return ping, pong
}

func fibOf(n int) int {
	a, b := 0, 1
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a
}

// What to do, what it must give, and of how many things it consists.
func prepare(name string, size int) (work func() int, expected, count int) {
	switch name {
	case "fib":
		work = func() int {
			return tree(func(result chan<- int) { fib(size, result) })
		}
		return work, fibOf(size), 2*fibOf(size+1) - 1
	case "skynet":
		work = func() int {
			return tree(func(result chan<- int) { skynet(0, size, result) })
		}
		return work, size * (size - 1) / 2, size + (size-1)/9
	case "ring":
		first, done := newRing()
		work = func() int {
			first <- size
			return <-done
		}
		return work, size%ring + 1, size
	case "pingpong":
		ping, pong := newPong()
		work = func() int {
			value := 0
			for i := 0; i < size; i++ {
				ping <- value
				value = <-pong
			}
			return value
		}
		return work, size, size
	}
	os.Exit(2)
	return
}

func main() {
	name := os.Args[1]
	workers, _ := strconv.Atoi(os.Args[2])
	size, _ := strconv.Atoi(os.Args[3])
	if runtime.GOMAXPROCS(0) != workers {
		os.Exit(2)
	}
	work, expected, count := prepare(name, size)
	var took time.Duration
	for run := 0; run < 2; run++ {
		began := time.Now()
		result := work()
		took = time.Since(began)
		if result != expected {
			fmt.Fprintf(os.Stderr, "go: %s gave %d, not %d\n", name, result,
				expected)
			os.Exit(1)
		}
	}
	fmt.Printf("value %s.%d %.2f\n", name, workers,
		float64(took.Nanoseconds())/float64(count))
}
