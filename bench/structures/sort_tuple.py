# SPDX-License-Identifier: MIT
class Player:
    __slots__ = ("name", "score")

    def __init__(self, name, score):
        self.name = name
        self.score = score


def main():
    players = []
    x = 42
    for _ in range(200_000):
        x = x * 16807 % 2147483647
        players.append(Player(f"name {x % 5000}", x % 1000))
    check = 0
    for _ in range(3):
        in_order = sorted(players, key=lambda p: (-p.score, p.name))
        for i, p in enumerate(in_order):
            check = (check * 31 + p.score + len(p.name) * i) % 1_000_003
    print(check)


main()
