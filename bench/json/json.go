// SPDX-License-Identifier: MIT
// json.go FILE TURNS parse|both: as json.csp does.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

func count(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			n += count(inner)
		}
	case map[string]any:
		for _, inner := range v {
			n += count(inner)
		}
	}
	return n
}

func timed(name string, turns int, f func() error) {
	began := time.Now()
	for i := 0; i < turns; i++ {
		if err := f(); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s: %g\n", name, time.Since(began).Seconds()*1e3/float64(turns))
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	turns, _ := strconv.Atoi(os.Args[2])
	var value any
	timed("parse", turns, func() error {
		value = nil
		return json.Unmarshal(text, &value)
	})
	if os.Args[3] == "both" {
		timed("text", turns, func() error {
			_, err := json.Marshal(value)
			return err
		})
		fmt.Printf("values: %d\n", count(value))
	}
}
