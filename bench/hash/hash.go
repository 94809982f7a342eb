// SPDX-License-Identifier: MIT
// The same as hash.csp, without xxh3.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"time"
)

var key = bytes.Repeat([]byte("k"), 32)

func sum(kind string, data []byte) []byte {
	switch kind {
	case "sha256":
		sum := sha256.Sum256(data)
		return sum[:]
	case "md5":
		sum := md5.Sum(data)
		return sum[:]
	case "crc32":
		return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
	case "hmac":
		mac := hmac.New(sha256.New, key)
		mac.Write(data)
		return mac.Sum(nil)
	}
	panic("no such hash")
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	turns, _ := strconv.Atoi(os.Args[2])
	var last []byte
	began := time.Now()
	for i := 0; i < turns; i++ {
		last = sum(os.Args[3], data)
	}
	fmt.Printf("%d %x\n", time.Since(began).Nanoseconds()/int64(turns), last)
}
