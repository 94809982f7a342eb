# SPDX-License-Identifier: MIT
def counter(step):
    count = 0

    def advance():
        nonlocal count
        count += step
        return count

    return advance


def compose(f, g):
    return lambda x: g(f(x))


def count_up(n):
    a = counter(1)
    b = counter(3)
    total = 0
    for _ in range(n):
        total += b() - a()
    return total


def chains(n):
    total = 0
    for i in range(n):
        add = lambda x, i=i: x + i
        double = lambda x: x * 2
        f = compose(compose(add, double), add)
        total += f(1) % 7
    return total


def sum_with(n, f):
    total = 0
    for i in range(n):
        total += f(i)
    return total


def main():
    offset = 5
    print(count_up(2_000_000))
    print(chains(600_000))
    print(sum_with(3_000_000, lambda x: x % offset))


main()
