#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What CONTRIBUTING.md says of sources, as far as their text shows it.

usage: tests/style.py FOLDER...

A source includes the header beside it first. An include is `#include "FILE"`,
where FILE is in the source's own folder, or `#include "FOLDER/.../FILE"` from
the project's root, or `#include <FILE>`. What tells which layers and rooms are
used (lint.sh, rooms.py) looks for these forms alone. A function has at most 40
lines; the labels of a switch do not count, nor do a `break` or `return` that
only ends a case. Pointers are compared with NULL, where the function declares
the name as a pointer and in no other way.

A pointer that is a parameter, a local variable or a field has a word as its
name. A letter is for a G, M or P, for text (s) and for a value (v), for two of
a kind (a and b, x and y), for the children of a Node, and for what a loop of at
most three lines goes through.

Each folder of the scheduler, the VM and the compiler has at least 8 assertions
in 1000 lines.

The status is 1 when something is wrong. Each such place is a line. First it
looks for the breaches in PLANTED, and dies if it does not see them."""

import os
import re
import subprocess
import sys

LINES_MAX = 40
LONG = set()

# Pointers whose names are letters.
LETTERS = {"G": "g", "Goroutine": "g", "M": "m", "P": "p", "char": "s", "uint8_t": "s",
           "Value": "v", "CspValue": "v"}
PAIRS = {"a": "b", "b": "a", "x": "y", "y": "x"}
CHILDREN = ("Node", "abcd")  # fields
LOOP_MAX = 3

ASSERTED = ("sched", "vm", "lang")
ASSERTS_LEAST = 8  # in 1000 lines
ASSERT = re.compile(r"\b(?:RT_ASSERT|RT_CHECK|rt_throw)\(")

SILENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
ANY_INCLUDE = re.compile(r"^(?:[ \t]|/\*.*?\*/)*(?:#|%:|\?\?=)(?:[ \t]|\\\n|/\*.*?\*/)*"
                         r"(?:include|import).*", re.M)
PLAIN_INCLUDE = re.compile(r'#include (?:"(?:(\w+)/(?:\w[\w.+-]*/)*)?\w[\w.+-]*"|<(?:(\w+)/)?\w[\w./+-]*>)'
                           r"(?: *//.*)?")
HAS_INCLUDES = (".c", ".h", ".y", ".re", ".def", ".cpp", ".hpp")
INCLUDE = re.compile(r'^#include ["<](.+)[">]', re.M)
# From the head, whose first line begins with a word, to the brace that ends it.
FUNCTION = re.compile(r"^[A-Za-z_][^\n;={}]*\([^;{}]*?\) \{\n(?:.*\n)*?\}", re.M)
NAME = re.compile(r"\b(\w+)\(")
OF_SWITCH = re.compile(r"\s*(?:(?:case\b.*|default):|break;|return;)$")
POINTER = re.compile(r"\b\w+ \**\*(?:const )?(\w+)(?=[,;)]| =)")
OTHER = r"\b(?!return\b|else\b|goto\b)\w+ %s(?:[,;)\[]| =)"
BEFORE = r"(?:&&|\|\||\(|(?<![=!<>])=|\breturn|[?:])\s*"
AS_BOOL = r"!%s\b(?![\w.(\[]|->|--|\+\+)|\b(?:if|while) \(%s\)|" + \
    BEFORE + r"%s\s*(?:&&|\|\||\? )|(?:&&|\|\|)\s*%s\s*[);]"
# A function or the declaration of one; a name in it that is a letter, after its
# type or after another name of that type.
PIECE = re.compile(r"^[A-Za-z_][^\n;={}]*\([^;{}]*\)(?:;| \{[^\n]*\}$| \{\n(?:.*\n)*?\})", re.M)
STRUCT = re.compile(r"^(?:typedef |static )?(?:const )?(?:struct|union)\b[^;{}()]*\{\n(?:.*\n)*?\}",
                    re.M)
LETTER = re.compile(r"(?:\b([A-Za-z_]\w*) |, )(?:const )?\*+(?:const )?([a-zA-Z])(?=[,;)\[]| =)")
TYPE = re.compile(r"(\w+) (?:const )?\*")
NO_TYPE = ("return", "else", "case", "sizeof")

PLANTED = (  # (text, the lines of it that are wrong)
    ("int f(Obj *obj) {\n  if (!obj) return 0;\n  return obj && g();\n}", [2, 3]),
    ("int f(Obj *obj) {\n  if (obj == NULL) return 0;\n  return !fine;\n}", []),
    ("int f(Obj *obj) {\n" + "  g();\n" * 38 + "}", []),
    ("int f(Obj *obj) {\n" + "  g();\n" * 39 + "}", [1]),
    ("int f(Obj *o);", [1]),
    ("int f(Local *local,\n      const Obj *o);", [2]),
    ("static int f(Obj **o) { return 0; }", [1]),
    ("int f(void) {\n  Obj *o;\n  return 3 *o;\n}", [2]),
    ("int f(void) {\n  Obj *obj = g(1), *o = NULL;\n}", [2]),
    ("int f(G *g, Goroutine *g, M *m, P **p, const char *s, Value *v);", []),
    ("int f(P *g);", [1]),
    ("int f(const Obj *a, Obj *b);", []),
    ("int f(const Obj *a, int b);", [1]),
    ("int f(void) {\n  Obj *x = g(1), *y = g(2);\n}", []),
    ("int f(void) {\n  for (Obj *o = all; o != end; o++) g(o);\n}", []),
    ("int f(void) {\n  for (Obj *o = all; o != end; o++) {\n" + "    g(o);\n" * 3 + "  }\n}", []),
    ("int f(void) {\n  for (Obj *o = all; o != end; o++) {\n" + "    g(o);\n" * 4 + "  }\n}", [2]),
    ("typedef struct T {\n  Obj *obj, *o;\n  G *g;\n} T;", [2]),
    ("static const struct {\n  int n;\n  Obj *o;  // a *p\n} all[] = {{1, NULL}};", [3]),
    ("struct T {\n  void (*f)(Obj *o);\n  Obj *a, *b;\n};", [2]),
    ("struct Node {\n  Node *b, *c, *e;\n};", [2]),
    ("int f(Node *c);", [1]),
    ('#include "vm/csp.h"\n#include <time.h>\n#include <sys/time.h>\n#include "rt.h"  // a', []),
    ('#include "../vm/csp.h"', [1]),
    ('#include "./rt.h"', [1]),
    ('#include "vm/../lang/ast.h"', [1]),
    ('#include "value/value.h"', [1]),
    ('#  include "lang/ast.h"', [1]),
    (' #include "lang/ast.h"', [1]),
    ('#include"lang/ast.h"', [1]),
    ('# /* a */ include "lang/ast.h"', [1]),
    ('/* a */ #include "lang/ast.h"', [1]),
    ('%:include "lang/ast.h"', [1]),
    ('#include_next "lang/ast.h"', [1]),
    ('#\\\ninclude "lang/ast.h"', [1]),
    ("#include </lang/ast.h>", [1]),
    ("#include <../lang/ast.h>", [1]),
    ("#include <lang/ast.h>", [1]),
    ("#define F \"a.h\"\n#include F", [2]),
    ("int f(void) {\n  for (int i = 0; i < 3; i++) {\n    Obj *o = g(i);\n  }\n}", [3]),
)


def listed(folders):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"] + folders, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [path for path in out.splitlines() if path.endswith(HAS_INCLUDES)]


def odd_includes(text):
    for match in ANY_INCLUDE.finditer(text):
        plain = PLAIN_INCLUDE.fullmatch(match.group())
        folder, of_others = plain.groups() if plain else (None, None)
        if plain is None or folder and not os.path.isdir(folder) or \
                of_others and os.path.isdir(of_others):
            yield 1 + text.count("\n", 0, match.start()), \
                "write the include as %s" % '#include "FOLDER/.../FILE", from the root'


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


def pointers_by_letters(piece):
    """(offset, type, letter) of each pointer that has a letter as its name."""
    for match in LETTER.finditer(piece):
        kind, letter = match.groups()
        if kind is None:
            statement = re.split(r"[;{}]", piece[:match.start()])[-1]
            kind = (TYPE.findall(statement) or NO_TYPE)[0]
        if kind not in NO_TYPE:
            yield match.start(), kind, letter


def of_short_loop(piece, at):
    """Whether the declaration there is in the head of a loop of few lines."""
    begin = piece.rfind("for (", 0, at)
    if begin < 0 or ";" in piece[begin:at]:
        return False
    depth, end = 1, begin + len("for (")
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(piece[end], 0)
        end += 1
    if not piece.startswith(" {", end):
        return True
    indent = " " * (begin - piece.rfind("\n", 0, begin) - 1)
    return piece[end:piece.find("\n" + indent + "}", end)].count("\n") <= LOOP_MAX


def no_word(line, piece):
    found = list(pointers_by_letters(piece))
    letters = {letter for _, _, letter in found}
    is_struct = STRUCT.match(piece)
    for at, kind, letter in found:
        if LETTERS.get(kind) != letter and PAIRS.get(letter) not in letters and \
                not (is_struct and kind == CHILDREN[0] and letter in CHILDREN[1]) and \
                not of_short_loop(piece, at):
            yield line + piece.count("\n", 0, at), \
                "%s is a pointer to %s: take a word" % (letter, kind)


def wrong_in(path, text):
    yield from odd_includes(text)
    if not path.endswith((".c", ".h")):
        return
    text = SILENT.sub(lambda m: re.sub(r"[^\n]", " " if m.group()[0] == "/" else "_",
                                       m.group()), text)
    for match in FUNCTION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield from too_long(path, line, match.group())
        yield from not_compared(path, line, match.group())
    for match in list(PIECE.finditer(text)) + list(STRUCT.finditer(text)):
        line = text.count("\n", 0, match.start()) + 1
        yield from no_word(line, match.group())


def few_asserts(paths):
    """(folder, how many in 1000 lines) of each that has too few."""
    counts = {}
    for path in paths:
        folder = os.path.dirname(path)
        if folder.split("/")[0] not in ASSERTED or path == "vm/csp.h" or \
                not path.endswith((".c", ".h")):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        lines, asserts = counts.get(folder, (0, 0))
        counts[folder] = lines + text.count("\n"), asserts + len(ASSERT.findall(text))
    for folder, (lines, asserts) in sorted(counts.items()):
        if asserts * 1000 < ASSERTS_LEAST * lines:
            yield folder, asserts * 1000 / lines


def wrong(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    yield from own_header(path, text)
    yield from wrong_in(path, text)


def check_planted():
    for text, lines in PLANTED:
        found = [line for line, _ in wrong_in("planted.c", text)]
        if found != lines:
            sys.exit("style: in these lines %s are wrong, and %s are found:\n%s" %
                     (lines, found, text))


def main():
    check_planted()
    status = 0
    for path in listed(sys.argv[1:]):
        for line, what in wrong(path):
            print("style: %s:%d: %s" % (path, line, what), file=sys.stderr)
            status = 1
    for folder, count in few_asserts(listed(sys.argv[1:])):
        print("style: %s has %.1f assertions in 1000 lines, not %d" %
              (folder, count, ASSERTS_LEAST), file=sys.stderr)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
