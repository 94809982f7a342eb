# SPDX-License-Identifier: MIT
"""Objects that are sorted by two keys: for sort_keys and sort_tuple."""


class Player:
    __slots__ = ("name", "score")

    def __init__(self, name, score):
        self.name = name
        self.score = score


def run(key):
    """Sorts 200,000 players three times, and prints what tells the order."""
    players = []
    x = 42
    for _ in range(200_000):
        x = x * 16807 % 2147483647
        players.append(Player(f"name {x % 5000}", x % 1000))
    check = 0
    for _ in range(3):
        for i, p in enumerate(sorted(players, key=key)):
            check = (check * 31 + p.score + len(p.name) * i) % 1_000_003
    print(check)
