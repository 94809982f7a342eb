# SPDX-License-Identifier: MIT
def grown(n, piece):
    s = ""
    for _ in range(n):
        s += piece
    return len(s)


total = 0
for _ in range(20):
    total += grown(100_000, "x") + grown(1_000, "abcdefgh,")
print(total)
