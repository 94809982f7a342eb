// Two goroutines hand a value back and forth over unbuffered channels.
package main

import (
	"fmt"
	"time"
)

func main() {
	const n = 2_000_000
	ping := make(chan int)
	pong := make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
	start := time.Now()
	for i := 0; i < n; i++ {
		ping <- i
		<-pong
	}
	fmt.Println(time.Since(start).Nanoseconds()/n, "ns a round trip")
}
