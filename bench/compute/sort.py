# SPDX-License-Identifier: MIT
def numbers(n):
    xs = []
    x = 42
    for _ in range(n):
        x = x * 16807 % 2147483647
        xs.append(x)
    return xs


def main():
    ints = numbers(600_000)
    words = [f"w{x}" for x in ints[:200_000]]
    ints.sort()
    words.sort()
    print(ints[0], ints[-1], sum(ints[::1000]))
    print(words[0], words[100_000], words[199_999])


main()
