# SPDX-License-Identifier: MIT
"""Go's published tables of replacements, splits and quoted texts
(regexp/all_test.go) as the lines of data/go_replace.json.

    go_tables.py < all_test.go

What a line is stands in data/re2_search.txt. Where Go and regexp differ, a rule
here says so. `left_out` and `ours` have all of them."""
import ast
import json
import re
import sys

LITERAL = r'"(?:[^"\\]|\\.)*"|`[^`]*`'
# Go's reference to a group has all letters, digits and `_` that follow.
REFERENCE = r"\$(?:\$|(\w+)|\{(\w+)\})?"


def rows_of(source, table):
    """The rows of a table, each a list of texts, ints and lists of texts."""
    body = re.search(r"^var %s = .*?^}$" % table, source, re.M | re.S).group()
    for line in body.splitlines():
        row = []
        if line.startswith("\t{"):
            for token in re.findall(LITERAL + r"|\[\]string\{.*\}(?=\})|-?\d+(?=,)|\bnil\b", line):
                row.append(value(token))
            yield row


def value(token):
    if token.startswith("[]string{"):
        return [value(text) for text in re.findall(LITERAL, token[len("[]string"):])]
    if token.startswith("`"):
        return token[1:-1]
    # A slice that is nil has no elements.
    return [] if token == "nil" else ast.literal_eval(token)


def ours(pattern, template):
    """Go's template in our syntax. A group that the pattern has not is empty in
    Go, and panics here. A `$` before no group is itself in Go, and panics
    here."""
    names = re.findall(r"\(\?P<(\w+)>", pattern)
    count = len(re.findall(r"\((?!\?)|\(\?P<", pattern))

    def reference(found):
        name = found.group(1) or found.group(2)
        if found.group() == "$":
            return "$$"
        if name is None or name in names or name.isdigit() and int(name) <= count:
            return found.group()
        return ""

    return re.sub(REFERENCE, reference, template, flags=re.ASCII)


def left_out(pattern):
    """Why there is no such case here, or None."""
    names = re.findall(r"\(\?P<(\w+)>", pattern)
    return "two groups of one name are an error here" if len(names) > len(set(names)) else None


def cases(source):
    """All lines."""
    for table, kind in (("replaceTests", "replace"), ("replaceLiteralTests", "literal")):
        for pattern, template, text, wanted in rows_of(source, table):
            why = left_out(pattern)
            if why:
                yield ["left out", why, pattern, template, text, wanted]
            else:
                yield [kind, pattern, ours(pattern, template) if kind == "replace" else template, text, wanted]
    # The function of each row puts its two texts around the match.
    for pattern, before, after, text, wanted in rows_of(source, "replaceFuncTests"):
        yield ["function", pattern, [before, after], text, wanted]
    for text, pattern, n, wanted in rows_of(source, "splitTests"):
        yield ["split", pattern, None if n < 0 else n, text, wanted]
    for pattern, quoted, *_ in rows_of(source, "metaTests"):
        yield ["escape", pattern, quoted]


for case in cases(sys.stdin.read()):
    print(json.dumps(case, ensure_ascii=False, separators=(",", ":")))
