# SPDX-License-Identifier: MIT
from functools import cmp_to_key


class Player:
    __slots__ = ("number", "score")

    def __init__(self, number, score):
        self.number = number
        self.score = score


def compare(a, b):
    if a.score != b.score:
        return b.score - a.score
    return a.number - b.number


def main():
    players = []
    x = 42
    for i in range(200_000):
        x = x * 16807 % 2147483647
        players.append(Player(i, x % 1000))
    players.sort(key=cmp_to_key(compare))

    check = 0
    for i, p in enumerate(players):
        check = (check * 31 + p.number + i) % 1_000_003
    print(players[0].number, players[-1].number, check)


main()
