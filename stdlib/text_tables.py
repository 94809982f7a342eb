#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes stdlib/text_tables.c: which characters take two columns of a terminal,
and which none, as Python's unicodedata knows them. Run it in the top folder
when a new version of Unicode is wanted."""

import unicodedata

from c_tables import END, table, write

# Hangul vowels and final consonants join the syllable before them.
JOINING = range(0x1160, 0x1200)
SOFT_HYPHEN = 0xAD
HEAD = """// SPDX-License-Identifier: MIT
// Unicode %s, written by stdlib/text_tables.py: do not edit.
#include "stdlib/text.h"
"""


def width(c):
    char = chr(c)
    category = unicodedata.category(char)
    if c != SOFT_HYPHEN and (category in ("Mn", "Me", "Cf") or c in JOINING):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ranges(wanted):
    """[(low, high)] of the characters of that width."""
    out = []
    for c in range(0x80, END):
        if width(c) != wanted:
            continue
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def table_of(name, wanted):
    return table("TextRange", name, ["{0x%x, 0x%x}" % pair for pair in map(tuple, ranges(wanted))])


def main():
    write("stdlib/text_tables.c", HEAD % unicodedata.unidata_version,
          table_of("text_wide", 2) + table_of("text_narrow", 0))


main()
