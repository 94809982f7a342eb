# SPDX-License-Identifier: MIT
"""The same as gzip.csp."""
import gzip
import sys
import time
import zlib


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    packs, made = sys.argv[3] == "pack", b""
    turns = int(sys.argv[2])
    began = time.perf_counter_ns()
    for _ in range(turns):
        made = gzip.compress(data, 6) if packs else gzip.decompress(data)
    ns = (time.perf_counter_ns() - began) // turns
    print(ns, len(made), zlib.crc32(gzip.decompress(made) if packs else made))


main()
