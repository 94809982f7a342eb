# SPDX-License-Identifier: MIT
def key(i):
    return i * 7919 % 99_999_989


def run(n):
    m = {}
    for i in range(n):
        m[key(i)] = i
    for i in range(2 * n):
        k = key(i)
        m[k] = m.get(k, 0) + 1
    found = 0
    for i in range(4 * n):
        if key(i) in m:
            found += 1
    for i in range(0, n, 2):
        del m[key(i)]
    total = 0
    for k, v in m.items():
        total += k + v
    return len(m), found, total


print(*run(600_000))
