# SPDX-License-Identifier: MIT
from math import sqrt


def a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(v, n):
    result = []
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += a(i, j) * v[j]
        result.append(total)
    return result


def times_transposed(v, n):
    result = []
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += a(j, i) * v[j]
        result.append(total)
    return result


def norm(n):
    u = [1.0] * n
    v = []
    for _ in range(10):
        v = times_transposed(times(u, n), n)
        u = times_transposed(times(v, n), n)
    uv = vv = 0.0
    for i in range(n):
        uv += u[i] * v[i]
        vv += v[i] * v[i]
    return sqrt(uv / vv)


print(f"{norm(500):.9f}")
