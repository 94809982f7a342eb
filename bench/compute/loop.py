# SPDX-License-Identifier: MIT
def run(n):
    total = 0
    a = 0
    b = 0
    for i in range(n):
        a += 3
        if a >= 1000:
            a -= 1000
        b += a
        if b >= 4096:
            b -= 4096
        total += i % 7 * b
    return total


print(run(25_000_000))
