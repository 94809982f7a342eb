# SPDX-License-Identifier: MIT
def run(n):
    keys = [f"key-{i * 7919 % 1_000_003}" for i in range(n)]
    counts = {}
    for turn in range(20):
        for i in range(n):
            k = keys[i]
            counts[k] = counts.get(k, 0) + i % 10 + turn
    found = 0
    for i in range(4 * n):
        if f"key-{i}" in counts:
            found += 1
    for i in range(0, n, 2):
        del counts[keys[i]]
    total = 0
    for k, v in counts.items():
        total += len(k) * v
    return len(counts), found, total


print(*run(120_000))
