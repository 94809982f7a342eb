#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What CONTRIBUTING.md says of sources, as far as their text shows it.

usage: tests/style.py FOLDER...

A source includes the header beside it first. A function has at most 40 lines; the
labels of a switch do not count, nor do a `break` or `return` that only ends a case.
Pointers are compared with NULL, where the function declares the name as a pointer
and in no other way.

The status is 1 when something is wrong. Each such place is a line."""

import os
import re
import subprocess
import sys

LINES_MAX = 40
LONG = {"sched/idle.c: idle_wait"}

SILENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
INCLUDE = re.compile(r'^#include ["<](.+)[">]', re.M)
# From the head, whose first line begins with a word, to the brace that ends it.
FUNCTION = re.compile(r"^[A-Za-z_][^\n;={}]*\((?:[^;{}]|\n)*?\) \{\n(?:.*\n)*?\}", re.M)
NAME = re.compile(r"\b(\w+)\(")
OF_SWITCH = re.compile(r"\s*(?:(?:case\b.*|default):|break;|return;)$")
POINTER = re.compile(r"\b\w+ \**\*(?:const )?(\w+)(?=[,;)]| =)")
OTHER = r"\b(?!return\b|else\b|goto\b)\w+ %s(?:[,;)\[]| =)"
BEFORE = r"(?:&&|\|\||\(|(?<![=!<>])=|\breturn|[?:])\s*"
AS_BOOL = r"!%s\b(?![\w.(\[]|->|--|\+\+)|\b(?:if|while) \(%s\)|" + \
    BEFORE + r"%s\s*(?:&&|\|\||\? )|(?:&&|\|\|)\s*%s\s*[);]"


def listed(folders):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"] + folders, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [path for path in out.splitlines() if path.endswith((".c", ".h"))]


def own_header(path, text):
    header = path[:-1] + "h"
    first = INCLUDE.search(text)
    if path.endswith(".c") and os.path.exists(header) and \
            (first is None or first.group(1) not in (header, os.path.basename(header))):
        yield 1, "does not include %s first" % header


def too_long(path, line, body):
    lines = [text for text in body.splitlines() if not OF_SWITCH.match(text)]
    name = NAME.search(body).group(1)
    if len(lines) > LINES_MAX and "%s: %s" % (path, name) not in LONG:
        yield line, "%s has %d lines" % (name, len(lines))


def not_compared(path, line, body):
    for name in sorted(set(POINTER.findall(body))):
        if re.search(OTHER % name, body):
            continue
        for match in re.finditer(AS_BOOL % ((re.escape(name),) * 4), body, re.M):
            yield line + body.count("\n", 0, match.start()), \
                "%s is a pointer: compare it with NULL" % name


def wrong(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    yield from own_header(path, text)
    text = SILENT.sub(lambda m: re.sub(r"[^\n]", " " if m.group()[0] == "/" else "_",
                                       m.group()), text)
    for match in FUNCTION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield from too_long(path, line, match.group())
        yield from not_compared(path, line, match.group())


def main():
    status = 0
    for path in listed(sys.argv[1:]):
        for line, what in wrong(path):
            print("style: %s:%d: %s" % (path, line, what), file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
