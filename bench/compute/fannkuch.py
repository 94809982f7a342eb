# SPDX-License-Identifier: MIT
def fannkuch(n):
    perm = list(range(n))
    perm1 = list(range(n))
    count = list(range(n))
    max_flips = checksum = 0
    even = True
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        for i in range(n):
            perm[i] = perm1[i]
        flips = 0
        while perm[0] != 0:
            i, j = 0, perm[0]
            while i < j:
                perm[i], perm[j] = perm[j], perm[i]
                i += 1
                j -= 1
            flips += 1
        if flips > max_flips:
            max_flips = flips
        if even:
            checksum += flips
        else:
            checksum -= flips
        even = not even
        while True:
            if r == n:
                return checksum, max_flips
            first = perm1[0]
            for i in range(r):
                perm1[i] = perm1[i + 1]
            perm1[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


for _ in range(3):
    print(*fannkuch(9))
