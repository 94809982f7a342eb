// The same as regexp.csp.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	kind, pattern, _ := strings.Cut(os.Args[1], " ")
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	text := string(data)
	turns, _ := strconv.Atoi(os.Args[3])
	re := regexp.MustCompile(pattern)
	count := 0
	began := time.Now()
	for i := 0; i < turns; i++ {
		if kind == "all" {
			count = len(re.FindAllStringSubmatch(text, -1))
		} else if re.MatchString(text) {
			count = 1
		}
	}
	fmt.Println(time.Since(began).Nanoseconds()/int64(turns), count)
}
