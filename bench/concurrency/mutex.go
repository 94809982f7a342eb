// SPDX-License-Identifier: MIT

// Eight goroutines count under one mutex. Before that one goroutine measures
// what a lock and unlock costs it alone, beside a buffered send and receive.
package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	goroutines = 8
	each       = 200_000
	alone      = 200_000
)

var (
	m     sync.Mutex
	total int
)

func uncontended() float64 {
	start := time.Now()
	for i := 0; i < alone; i++ {
		m.Lock()
		m.Unlock()
	}
	return float64(time.Since(start)) / alone
}

func channel() float64 {
	c := make(chan int, 1)
	start := time.Now()
	for i := 0; i < alone; i++ {
		c <- i
		<-c
	}
	return float64(time.Since(start)) / alone
}

func main() {
	locked, sent := uncontended(), channel()
	var done sync.WaitGroup
	done.Add(goroutines)
	start := time.Now()
	for g := 0; g < goroutines; g++ {
		go func() {
			defer done.Done()
			for i := 0; i < each; i++ {
				m.Lock()
				total++
				m.Unlock()
			}
		}()
	}
	done.Wait()
	shared := float64(time.Since(start)) / (goroutines * each)
	fmt.Println(total)
	fmt.Printf("uncontended: %.1f ns\n", locked)
	fmt.Printf("send and receive: %.1f ns\n", sent)
	fmt.Printf("contended: %.1f ns\n", shared)
}
