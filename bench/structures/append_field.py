# SPDX-License-Identifier: MIT
class Writer:
    __slots__ = ("text",)

    def __init__(self):
        self.text = ""

    def add(self, piece):
        self.text += piece


def grown(n, piece):
    w = Writer()
    for _ in range(n):
        w.add(piece)
    return len(w.text)


total = 0
for _ in range(20):
    total += grown(100_000, "x") + grown(1_000, "abcdefgh,")
print(total)
