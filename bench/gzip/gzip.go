// SPDX-License-Identifier: MIT
// The same as gzip.csp.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
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

func pack(data []byte) []byte {
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, 6)
	must(err)
	_, err = writer.Write(data)
	must(err)
	must(writer.Close())
	return out.Bytes()
}

func unpack(data []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	must(err)
	plain, err := io.ReadAll(reader)
	must(err)
	return plain
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	must(err)
	turns, _ := strconv.Atoi(os.Args[2])
	packs := os.Args[3] == "pack"
	var made []byte
	began := time.Now()
	for i := 0; i < turns; i++ {
		if packs {
			made = pack(data)
		} else {
			made = unpack(data)
		}
	}
	ns := time.Since(began).Nanoseconds() / int64(turns)
	plain := made
	if packs {
		plain = unpack(made)
	}
	fmt.Println(ns, len(made), crc32.ChecksumIEEE(plain))
}
