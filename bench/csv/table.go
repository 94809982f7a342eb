// SPDX-License-Identifier: MIT
// table.go FILE TURNS parse|rows|text: as table.csp does.
package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func countRows() int {
	file, err := os.Open(os.Args[1])
	must(err)
	defer file.Close()
	reader := csv.NewReader(bufio.NewReaderSize(file, 1<<16))
	n := 0
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return n
		}
		must(err)
		n += len(row[0]) + len(row)
	}
}

func parse(text []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	must(err)
	return rows
}

func write(rows [][]string) int {
	var out bytes.Buffer
	must(csv.NewWriter(&out).WriteAll(rows))
	return out.Len()
}

func main() {
	turns, _ := strconv.Atoi(os.Args[2])
	what, result := os.Args[3], 0
	var text []byte
	var rows [][]string
	if what != "rows" {
		var err error
		text, err = os.ReadFile(os.Args[1])
		must(err)
	}
	if what == "text" {
		rows = parse(text)
	}
	began := time.Now()
	for i := 0; i < turns; i++ {
		switch what {
		case "rows":
			result = countRows()
		case "parse":
			rows = nil
			rows = parse(text)
			result = len(rows) + len(rows[0])
		default:
			result = write(rows)
		}
	}
	fmt.Printf("%s: %g\n", what, time.Since(began).Seconds()*1e3/float64(turns))
	fmt.Printf("result: %d\n", result)
}
