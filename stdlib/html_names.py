#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes stdlib/html_names.c: the named references of HTML 5, as Python's
html.entities knows them. Run it in the top folder when HTML has new ones."""

import string
from html.entities import html5

from c_tables import write

HEAD = """// SPDX-License-Identifier: MIT
// Named references, written by stdlib/html_names.py: do not edit.
#include "stdlib/html.h"
"""
LINE = 72


def record(name):
    """A blank, the name, what html.h has for one with or without a semicolon,
    and the bytes it stands for."""
    value, without = html5[name + ";"], html5.get(name)
    if " " in value or without not in (None, value):
        raise SystemExit(f"{name} does not fit the table")
    return f" {name}{'!' if without is None else ','}".encode() + value.encode()


def escaped(byte):
    char = chr(byte)
    return f"\\{byte:03o}" if char in "\"\\?" or not 32 <= byte < 127 else char


def lines_of(letter, names):
    """The string of C with the names that begin so, in the order of bytes."""
    line = ""
    for byte in b"".join(record(name) for name in sorted(names) if name[0] == letter) + b" ":
        if len(line) + 4 > LINE:
            yield f'     "{line}"'
            line = ""
        line += escaped(byte)
    yield f'     "{line}",'


def main():
    names = {name.removesuffix(";") for name in html5}
    lines = ["const char *const html_names[] = {"]
    for letter in string.ascii_uppercase + string.ascii_lowercase:
        lines += lines_of(letter, names)
    write("stdlib/html_names.c", HEAD, lines + ["};"])


main()
