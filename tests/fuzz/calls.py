#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether some target of tests/fuzz calls each function of vm/csp.h.

Whatever a host can call is to be called in orders and with values that nobody
thought of."""

import glob
import re
import sys

# Functions that none needs to call, and why.
EXCEPT = {
    "csp_config_init_sized": "the macro csp_config_init calls it",
}


def without_comments(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"//[^\n]*", "", file.read())


def declared():
    """The names before a bracket in csp.h, but in macros, types and fields."""
    text = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", without_comments("vm/csp.h"), flags=re.M)
    return set(re.findall(r"\b(csp_\w+)\(", text))


def named():
    """What a target calls, or hands on as a function."""
    text = "".join(without_comments(path) for path in sorted(glob.glob("tests/fuzz/*.[ch]")))
    return set(re.findall(r"\bcsp_\w+", text))


def main():
    functions, used = declared(), named()
    if len(functions) < 100:
        sys.exit("tests/fuzz/calls.py: only %d functions are found in vm/csp.h" % len(functions))
    wrong = ["no target of tests/fuzz calls %s" % name
             for name in sorted(functions - used - set(EXCEPT))]
    wrong += ["tests/fuzz/calls.py excepts %s, which %s" % (
        name, "a target calls" if name in used else "csp.h does not have")
        for name in sorted(EXCEPT) if name in used or name not in functions]
    for line in wrong:
        print("lint:", line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
