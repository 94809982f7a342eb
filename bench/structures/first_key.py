# SPDX-License-Identifier: MIT
from collections import OrderedDict


def drained(n):
    m, total = OrderedDict(), 0
    for i in range(n):
        m[i] = i
    while m:
        for key, value in m.items():
            total += key * value % 7
            del m[key]
            break
    return total


def turned(n, width):
    m, last = OrderedDict(), 0
    for i in range(width):
        m[f"key {i}"] = i
    for _ in range(n):
        for key, value in m.items():
            del m[key]
            m[key] = value + 1
            last = value
            break
    return last


print(drained(100_000), turned(100_000, 1000))
