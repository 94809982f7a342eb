# SPDX-License-Identifier: MIT
def drained(n):
    queue, total = list(range(n)), 0
    while queue:
        total += queue.pop(0) * len(queue) % 7
    return total


def turned_round(n):
    numbers = []
    for i in range(n):
        numbers.insert(0, i)
    return numbers[0] + numbers[n // 3]


def window(n, width):
    queue, total = list(range(width)), 0
    for i in range(n):
        queue.append(i)
        total += queue.pop(0) + queue[width // 2]
    return total


print(drained(100_000), turned_round(100_000), window(100_000, 1000))
