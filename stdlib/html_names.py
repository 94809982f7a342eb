#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes stdlib/html_names.c: the named references of HTML 5, as Python's
html.entities knows them. Run it in the top folder when HTML has new ones."""

from html.entities import html5

from c_tables import table, write

HEAD = """// SPDX-License-Identifier: MIT
// Named references, written by stdlib/html_names.py: do not edit.
#include "stdlib/html.h"
"""
# What follows a name, as html.h has it.
NEEDS_END, NEEDS_NONE = 1, 2


def records():
    """The bytes of each name, in the order of their bytes. All that go without
    a semicolon go with one, too."""
    names = {name.removesuffix(";") for name in html5}
    for name in sorted(name.encode("ascii") for name in names):
        with_end = html5[name.decode() + ";"]
        without = html5.get(name.decode())
        if without not in (None, with_end):
            raise SystemExit(f"{name.decode()} means two things")
        yield name + bytes([NEEDS_END if without is None else NEEDS_NONE]) + with_end.encode()


def main():
    text, places = b"", []
    for record in records():
        places.append(len(text))
        text += record
    places.append(len(text))
    write("stdlib/html_names.c", HEAD % (),
          table("unsigned char", "html_names", [str(byte) for byte in text], counted=False)
          + table("uint16_t", "html_name_places", [str(place) for place in places]))


main()
