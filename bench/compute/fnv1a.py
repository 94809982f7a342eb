# SPDX-License-Identifier: MIT
MASK = (1 << 64) - 1


def fnv1a(text):
    h = 14695981039346656037
    for byte in text:
        h = (h ^ byte) * 1099511628211 & MASK
    return h


def signed(x):
    return x - (1 << 64) if x >> 63 else x


def run(rounds):
    text = b"The quick brown fox jumps over the lazy dog. " * 200
    total = 0
    for _ in range(rounds):
        total = total + fnv1a(text) & MASK
    return signed(fnv1a(text)), signed(total)


print(*run(1500))
