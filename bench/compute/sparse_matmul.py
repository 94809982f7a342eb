# SPDX-License-Identifier: MIT
def matrix(n, seed):
    m = []
    for i in range(n):
        row = []
        for j in range(n):
            v = (i * n + j) * seed % 1009
            row.append(v / 64.0 if v % 10 == 3 else 0.0)
        m.append(row)
    return m


def product(a, b):
    n = len(b[0])
    result = []
    for row in a:
        sums = [0.0] * n
        for k, x in enumerate(row):
            other = b[k]
            for j in range(n):
                sums[j] += x * other[j]
        result.append(sums)
    return result


def main():
    n = 320
    c = product(matrix(n, 7), matrix(n, 11))
    trace = 0.0
    for i in range(n):
        trace += c[i][i]
    print(f"{trace:.6f} {c[n // 2][3]:.6f}")


main()
