#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a dictionary for libFuzzer: the words and operators of the lexer, the
names of the library's tables, and what programs are often made of."""

import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "docs"))
import library  # noqa: E402

PIECES = ["${", "}", "`", "'a'", "\\u{1F600}", "\\xff", "/*", "*/", "//", "#!", "0x", "1e",
          "9223372036854775807", "9223372036854775808", "0..", "1ms", "_", "x", "f(",
          "func() {", "go {", "select {", "case ", "default:", "for x in ", " := ",
          "struct P { x", "func (p P) ", "defer ", "\n", ";", "<-", "...", "?\n", "```\n",
          "(x, ", ",)", "[a, b] := ", "for (a, b) in ", "func (p P) error() => ", "is error",
          "error(x, cause: ", "try(", "map(default: ", "import \"sync\"\n", "sync.mutex()",
          "sync.rwmutex()", "sync.once()", "sync.latch(2)", "sync.semaphore(2)", ".lock()",
          ".unlock()", ".read_lock()", ".done()", ".wait()", ".with(", "g.timeout(", "??=", "x:5d"]


def words():
    with open("lang/parse/lexer.re", encoding="utf-8") as file:
        for literal in re.findall(r'^\s*(?:<\w*>)?\s*"([^"\s]+)"', file.read(), re.M):
            yield literal


def main():
    names = {name for _, name in library.read_library()}  # (goes to the top, too)
    entries = sorted(names | set(words()) | set(PIECES))
    for entry in entries:
        data = entry.encode().decode("latin-1")
        print('"%s"' % "".join(
            c if c.isascii() and c.isprintable() and c not in '"\\' else
            "\\x%02x" % ord(c) for c in data))


main()
