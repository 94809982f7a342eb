// SPDX-License-Identifier: MIT
// The same in Go, where Go lets one see it; prints the lines that bench.h
// describes, their keys with "go:" in front.
//
//	costs PROCS ROUNDS
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const latencyMax = time.Second // on a busy machine

var (
	procs  int
	rounds int
	bins   = []int64{25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800,
		25600, 1<<63 - 1}
)

func value(name string, began time.Time, count int) {
	fmt.Printf("value go:%s.%d %.2f\n", name, procs,
		float64(time.Since(began).Nanoseconds())/float64(count))
}

func spread(name string, times []int64) {
	counts := make([]int, len(bins))
	for _, t := range times {
		bin := 0
		for t >= bins[bin] {
			bin++
		}
		counts[bin]++
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	n := len(times)
	fmt.Printf("spread go:%s %d %d %d %d %d", name, times[n/2], times[n*95/100],
		times[n*99/100], times[n-1], n)
	for _, count := range counts {
		fmt.Printf(" %d", count)
	}
	fmt.Println()
}

func pingpong() {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for range ping {
			pong <- 1
		}
	}()
	began := time.Now()
	for i := 0; i < rounds; i++ {
		ping <- 1
		<-pong
	}
	value("pingpong", began, rounds)
	close(ping)
}

func spawnEnd() {
	var group sync.WaitGroup
	began := time.Now()
	for i := 0; i < rounds/32+1; i++ {
		group.Add(32)
		for k := 0; k < 32; k++ {
			go group.Done()
		}
		group.Wait()
	}
	value("spawn_end", began, (rounds/32+1)*32)
}

func yield() {
	began := time.Now()
	for i := 0; i < rounds; i++ {
		runtime.Gosched()
	}
	value("yield", began, rounds)
}

func buffered() {
	c := make(chan int, 4)
	began := time.Now()
	for i := 0; i < rounds; i++ {
		c <- 1
		<-c
	}
	value("buffered", began, rounds)
}

func select4() {
	var c [4]chan int
	for i := range c {
		c[i] = make(chan int, 1)
	}
	began := time.Now()
	for i := 0; i < rounds; i++ {
		c[i%4] <- 1
		select {
		case <-c[0]:
		case <-c[1]:
		case <-c[2]:
		case <-c[3]:
		}
	}
	value("select4", began, rounds)
}

// Two goroutines that have a thread each: every message wakes one.
func threadWake() {
	ping, pong := make(chan int), make(chan int)
	go func() {
		runtime.LockOSThread()
		for range ping {
			pong <- 1
		}
	}()
	runtime.LockOSThread()
	count := rounds/100 + 100
	began := time.Now()
	for i := 0; i < count; i++ {
		ping <- 1
		<-pong
	}
	value("thread_wake", began, 2*count)
	runtime.UnlockOSThread()
	close(ping)
}

// The main goroutine does not leave its P. Each one it starts stays until the
// next: alone it ends long before, else just then, and its thread looks for
// work.
func latency(name string, alone bool) {
	count := rounds/200 + 100
	origin := time.Now()
	times := make([]int64, 0, count)
	last := new(int64)
	for i := 0; i < count && time.Since(origin) < latencyMax; i++ {
		wait := time.Duration(i % 16 * 20)
		if alone {
			wait = 300 * time.Microsecond
		}
		ran, held := new(int64), new(int64)
		*held = 1
		atomic.StoreInt64(last, 0)
		for begin := time.Now(); time.Since(begin) < wait; {
		}
		began := int64(time.Since(origin))
		go func() {
			atomic.StoreInt64(ran, int64(time.Since(origin)))
			for atomic.LoadInt64(held) != 0 {
			}
		}()
		for atomic.LoadInt64(ran) == 0 {
		}
		times = append(times, *ran-began)
		last = held
	}
	atomic.StoreInt64(last, 0)
	spread(name, times)
}

func main() {
	procs, _ = strconv.Atoi(os.Args[1])
	rounds, _ = strconv.Atoi(os.Args[2])
	runtime.GOMAXPROCS(procs)
	pingpong()
	spawnEnd()
	yield()
	buffered()
	select4()
	if procs > 1 {
		threadWake()
		latency("go_next_spinner", false)
		latency("go_next_alone", true)
	}
}
