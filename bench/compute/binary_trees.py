# SPDX-License-Identifier: MIT
class Node:
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right

    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


def bottom_up(depth):
    if depth == 0:
        return Node(None, None)
    return Node(bottom_up(depth - 1), bottom_up(depth - 1))


def main():
    depth = 15
    print("stretch", bottom_up(depth + 1).count())
    kept = bottom_up(depth)
    for d in range(4, depth + 1, 4):
        n = 1 << (depth - d + 4)
        total = 0
        for _ in range(n):
            total += bottom_up(d).count()
        print(n, "trees of depth", d, "nodes", total)
    print("kept", kept.count())


main()
