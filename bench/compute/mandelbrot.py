# SPDX-License-Identifier: MIT
def escapes(cr, ci, limit):
    zr = zi = 0.0
    for n in range(limit):
        r2 = zr * zr
        i2 = zi * zi
        if r2 + i2 > 4.0:
            return n
        zi = 2.0 * zr * zi + ci
        zr = r2 - i2 + cr
    return limit


def picture(size, limit):
    inside = steps = 0
    for y in range(size):
        ci = 2.0 * y / size - 1.0
        for x in range(size):
            n = escapes(2.0 * x / size - 1.5, ci, limit)
            if n == limit:
                inside += 1
            steps += n
    return inside, steps


print(*picture(700, 100))
