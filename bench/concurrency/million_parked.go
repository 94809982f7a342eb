// SPDX-License-Identifier: MIT

// A million goroutines wait on one channel: how much memory each one takes.
// Then all are let go, and their numbers added up.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const n = 1_000_000

// A line of this process's memory figures, in bytes.
func memory(name string) int {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), name+":") {
			kilobytes, err := strconv.Atoi(strings.Fields(lines.Text())[1])
			if err != nil {
				panic(err)
			}
			return kilobytes * 1024
		}
	}
	panic("no " + name)
}

func main() {
	gate := make(chan bool)
	ready := make(chan bool)
	results := make(chan int, 128)

	before := memory("VmRSS")
	for i := 0; i < n; i++ {
		go func(i int) {
			ready <- true
			<-gate
			results <- i
		}(i)
		<-ready
	}
	peak := memory("VmHWM")

	close(gate)
	sum := 0
	for i := 0; i < n; i++ {
		sum += <-results
	}
	fmt.Println(sum)
	fmt.Println("bytes per goroutine:", (peak-before)/n)
}
