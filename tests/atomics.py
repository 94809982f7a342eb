#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A comment of each atomic operation (sched/rt.h) says why its order is enough.

usage: tests/atomics.py FOLDER...

The comment stands on a line of the operation's statement, or directly above the
statement, or above the function whose first statement it is, and has a form of
these:

    // ORDER: reason              for the statement
    // ORDER, all: reason         also for those after it, up to the next blank
                                  line or the function's end (or: both, twice,
                                  three, four)

ORDER is the operation's own: relaxed, acquire, release or seq for a load or
store. A read-modify-write (rt_cas, rt_exchange, rt_add, rt_sub, rt_or, rt_and)
is seq_cst always. Its ORDER is the part of that which is needed: acquire,
release, seq, or RMW where it is enough that no other change comes between. The
reason says why that is enough. An acquire or release names its partner (`pairs
with NAME`) or the place that does (`as in NAME`, `as above`, `see NAME`).

Exempt are the definitions of the operations, and what RT_ASSERT looks at, which
is no part of the program. Whether a reason is true is for reviewers to judge.
The status is 1 when a comment is missing. Each such operation is a line. Each
run first looks for the breaches in PLANTED, and dies if it does not see them.
"""

import glob
import os
import re
import sys

OPERATION = re.compile(r"\brt_(?:(?:load|store)_(\w+)|cas|exchange|add|sub|or|and)\(")
DEFINITION = re.compile(r"#define rt_\w+\(")
LITERAL = r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'"
LINE = re.compile(r"((?:%s|(?!//|/\*).)*)(?:/[/*]+)?(.*?)(?:\*/)?[\\ ]*$" % LITERAL)
RMW = "RMW|acquire|release|seq"
MANY = "all|both|twice|three|four"
PAIRED = "acquire", "release"
PARTNER = re.compile(r"[Pp]airs with |\b(?:as|see) (?:in |above|below|the head|\w)")
PLANTED = (  # (text, the lines of it that are wrong)
    ("  rt_store_release(&a, 1);", [1]),
    ("  // release: shows b; pairs with f\n  rt_store_release(&a, 1);", []),
    ("  rt_store_release(&a, 1);  // release: shows b; pairs with f", []),
    ("  // relaxed: not its order\n  rt_store_release(&a, 1);", [2]),
    ("  // pairs with f\n  rt_store_release(&a, 1);", [2]),
    ("  // release: shows b\n  rt_store_release(&a, 1);", [2]),
    ("  // release: as in f\n  rt_store_release(&a, 1);", []),
    ("  // release:\n  rt_store_release(&a, 1);", [2]),
    ("  // relaxed: a hint\n  b = 1;\n  if (rt_load_relaxed(&a)) f();", [3]),
    ("  b = 1;  // relaxed: of the line before\n  f(rt_load_relaxed(&a));", [2]),
    ("  // relaxed: apart\n\n  f(rt_load_relaxed(&a));", [3]),
    ("  // relaxed, both: hints\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);", []),
    ("  // relaxed: a hint\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);", [3]),
    ("  // relaxed, all: hints\n  b = rt_load_relaxed(&a);\n\n  c = rt_load_relaxed(&a);", [4]),
    ("void f(void) {\n  // RMW, all: sums\n  rt_add(&a, 1);\n}\nvoid g(void) {\n"
     "  rt_add(&a, 1);\n}", [6]),
    ("// RMW: a sum\nvoid f(void) {\n  rt_add(&a, 1);\n  rt_add(&b, 1);\n}", [4]),
    ("  // acquire: b; pairs with f\n  if (b &&\n      !rt_cas(&a, &none, 1))\n    f();", []),
    ("  if (b &&\n      !rt_cas(&a, &none, 1))\n    f();", [2]),
    ("#define F(a)  \\\n  do {  \\\n    rt_or(&a, 1);  \\\n  } while (0)", [3]),
    ("#define F(a)  \\\n  do {  \\\n    rt_or(&a, 1); /* RMW: bits */  \\\n  } while (0)", []),
    ("  // relaxed: of the if\n  if (b) {\n    f(rt_load_relaxed(&a));\n  }", [3]),
    ("#define F(a) rt_load_acquire(a)", [1]),
    ("#define rt_new(p) rt_load_acquire(p)", []),
    ("  RT_ASSERT(rt_load_relaxed(&a) == 0);", []),
    ('  f("// relaxed: text", rt_load_relaxed(&a));', [1]),
)


def statements(text):
    """Its code by lines, the comment on and above it, and whether a run ends
    before it."""
    code, comment, run_ends, in_macro = {}, "", True, False
    for number, line in enumerate(text.splitlines(), 1):
        part, note = LINE.match(line).groups()
        part = part.rstrip("\\ ")
        comment += " " + note
        if part:
            code[number] = part
        elif not note.strip():
            comment, run_ends = "", True
        continued = line.endswith("\\")
        macro_ends = not continued and (in_macro or part.startswith("#"))
        if code and (part.endswith((";", "{", "}", ":")) or macro_ends):
            yield code, comment, run_ends
            head = part.endswith("{") and not next(iter(code.values())).startswith(" ")
            code, comment = {}, comment if head else ""
            run_ends = line.startswith("}")
        in_macro = continued


def uncovered(text):
    """(line, operation) of each that has no comment."""
    run = ""
    for code, comment, run_ends in statements(text):
        run = "" if run_ends else run
        first = next(iter(code.values())).strip()
        if not first.startswith("RT_ASSERT(") and not DEFINITION.match(first):
            for number, part in code.items():
                for match in OPERATION.finditer(part):
                    form = r"\b(?:%s)(?:, (?:%s))?: *\w" % (match.group(1) or RMW, MANY)
                    its = re.search(form + ".*", " ".join((comment + run).split()))
                    if its is None or match.group(1) in PAIRED and not PARTNER.search(its.group()):
                        yield number, match.group()[:-1]
        run += "".join(re.findall(r" (?:%s|relaxed), (?:%s): *\w.*" % (RMW, MANY), comment))


def check_planted():
    for text, wrong in PLANTED:
        found = [number for number, _ in uncovered(text)]
        if found != wrong:
            sys.exit("atomics: in these lines %s are wrong, and %s are found:\n%s" %
                     (wrong, found, text))


def main():
    check_planted()
    wrong = 0
    for folder in sys.argv[1:]:
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True)):
            with open(path, encoding="utf-8") as f:
                for number, name in uncovered(f.read()):
                    print("atomics: %s:%d: %s has no comment on its order, or none that names its partner" %
                          (path, number, name), file=sys.stderr)
                    wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
