# SPDX-License-Identifier: MIT
MASK = (1 << 64) - 1


def run(n):
    x = 88172645463325252
    total = 0
    for _ in range(n):
        x ^= x >> 12
        x ^= x << 25 & MASK
        x ^= x >> 27
        total = total + x * 2685821657736338717 & MASK
    return total - (1 << 64) if total >> 63 else total


print(run(20_000_000))
