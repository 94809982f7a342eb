#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An example of a document that needs a server, as a program.

    tests/docs/lib/example.py WORD FROM TO
        the block of docs/library.md that has WORD, with TO in the place of FROM
    tests/docs/lib/example.py WORD < output
        whether what it says that it prints is there, in that order
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import blocks


def block_with(word):
    found = [b for b in blocks.read_blocks("docs/library.md") if any(word in line for line in b.text)]
    assert len(found) == 1, "%d blocks have %s" % (len(found), word)
    return found[0].text


def main(word, *change):
    text = "\n".join(block_with(word))
    if change:
        assert text.count(change[0]) == 1, "the block has no %s" % change[0]
        print(text.replace(*change))
        return
    lines = iter(sys.stdin.read().split("\n"))
    for said in blocks.said_in_comments(text.split("\n")):
        if said not in lines:
            sys.exit("it does not print, or not there: " + said)
    print("as it says")


main(*sys.argv[1:])
