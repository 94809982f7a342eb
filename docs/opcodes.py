#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The list of opcodes in docs/bytecode.md, made from vm/code/opcodes.def and
fused.def.

usage: docs/opcodes.py --write    writes it anew
       docs/opcodes.py            fails if it is not what the tables say"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs/bytecode.md")
BEGIN = "<!-- made by docs/opcodes.py -->\n"
END = "<!-- end -->\n"
KINDS = {  # letter of opcodes.def -> how the list shows the operand
    **dict.fromkeys("a", "rA"), **dict.fromkeys("bvf", "rB"),
    **dict.fromkeys("c", "rC"), **dict.fromkeys("BP", "B"),
    **dict.fromkeys("C", "C"), "i": "sB", "S": "sBx",
    **dict.fromkeys("sDH", "sC"), "t": "B",
    "T": "C", "x": "kB", "k": "kC", **dict.fromkeys("Kgpdm", "kBx"),
    "u": "uB", "w": "want", "j": "sJ", "J": "J",
    **dict.fromkeys("NnhyLl", "k"), "R": "r", "W": "shift", ".": "cache"}
TRAITS = {"JUMPS_BACK": "back", "ENDS_FLOW": "ends", "GIVES_MULTI": "gives",
          "TAKES_MULTI": "takes", "MAY_PARK": "parks", "MAY_REPEAT": "repeats",
          "FRESH_RESULT": "fresh", "OWN_CODE": "own", "NEEDS_DEFER": "defers",
          "SKIPS_DEFERS": "plain", "COLLECTS": "collects",
          # what only messages need
          **dict.fromkeys(("NO_NIL_A", "NO_NIL_B", "NO_NIL_C", "NO_NIL_CALLEE",
                           "NO_NIL_RECEIVER"))}
WIDTH = 116


def read(name):
    with open(os.path.join(TOP, "vm/code", name), encoding="utf-8") as file:
        return file.read()


def fold(first, text):
    """Lines of at most WIDTH; those after the first stand below its text."""
    lines, line, room = [], first, len(first)
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line.rstrip())
            line = " " * room
        line += (" " if len(line) > room else "") + word
    return "\n".join([*lines, line]) + "\n"


def opcode(name, kinds, traits, meaning):
    operands = " ".join(KINDS[k] for k in kinds)
    words = ", ".join(filter(None, map(TRAITS.get, re.findall(r"[A-Z_]{4,}", traits))))
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', meaning))
    return fold(f"{name:10}{operands:18}", f"{text}{' [' + words + ']' if words else ''}")


def table():
    out = ["```text\n"]
    rows = read("opcodes.def").split("// clang-format off\n")[1]
    for row in re.finditer(
            r'^OP\((\w+), \d, "([^"]*)", (.*?),\s+([A-Z_ |]+|0),\s*'
            r'((?:"(?:[^"\\]|\\.)*"\s*)+)\)$|^// (?!clang)(.*)$', rows, re.M):
        if row[6]:
            out.append(("\n" if not out[-1].lstrip().startswith("//") else "") +
                       "// " + row[6] + "\n")
        else:
            out.append(opcode(row[1], row[2], row[4], row[5]))
    out.append("```\n\nTwo operations in one:\n\n```text\n")
    for name, first, second, turned, _ in re.findall(
            r"^FUSED\((\w+), (\w+), (\w+), (\w+), (\w+)\)$", read("fused.def"),
            re.M):
        order = f"{second}(third, {first}(B, C))" if turned == "true" \
            else f"{second}({first}(B, C), third)"
        out.append(f"{name:10}{order}\n")
    out.append("```\n")
    return "".join(out)


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    head, rest = page.split(BEGIN)
    wanted = head + BEGIN + table() + END + rest.split(END)[1]
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif sys.argv[1:]:
        sys.exit(__doc__)
    elif page != wanted:
        sys.exit("docs/bytecode.md is not what vm/code/opcodes.def says: run "
                 "docs/opcodes.py --write")


main()
