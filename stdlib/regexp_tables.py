#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes stdlib/regexp_tables.c: the general categories, the scripts and the
simple case folds of Unicode. Categories and folds are of Python's unicodedata,
and scripts of Perl's Unicode::UCD. Both must know the same version. Run it in
the top folder when a new version is wanted."""

import subprocess
import sys
import unicodedata

from c_tables import END, table, write

PERL = """
use Unicode::UCD qw(charscripts);
print Unicode::UCD::UnicodeVersion(), "\\n";
my $all = charscripts();
for my $name (sort keys %$all) {
  print join(" ", $name, map { "$_->[0]-$_->[1]" } @{$all->{$name}}), "\\n";
}
"""
HEAD = """// SPDX-License-Identifier: MIT
// Unicode %s, written by stdlib/regexp_tables.py: do not edit.
//
// Categories and scripts are runs of code points from 0 on, as length << 8 |
// number. A fold leads from each code point of a run to the next one that
// differs in case alone, and from the last of them to the first.
#include "stdlib/regexp_tables.h"
"""


def runs(numbers):
    out, start = [], 0
    for at in range(1, END + 1):
        if at == END or numbers[at] != numbers[start]:
            out.append((at - start) << 8 | numbers[start])
            start = at
    return out


def categories():
    names = sorted({unicodedata.category(chr(c)) for c in range(END)})
    number = {name: n for n, name in enumerate(names)}
    return names, runs([number[unicodedata.category(chr(c))] for c in range(END)])


def scripts():
    out = subprocess.run(["perl", "-e", PERL], check=True, stdout=subprocess.PIPE, text=True)
    version, *lines = out.stdout.splitlines()
    if version.rsplit(".", 1)[0] not in unicodedata.unidata_version:
        sys.exit(f"Perl knows Unicode {version}, Python {unicodedata.unidata_version}")
    names, numbers = ["Unknown"], [0] * END
    for line in lines:
        name, *ranges = line.split()
        if name == "Unknown":
            continue
        for part in ranges:
            low, high = part.split("-")
            for c in range(int(low), int(high) + 1):
                numbers[c] = len(names)
        names.append(name)
    return names, runs(numbers)


def folded(c):
    """The simple fold: one character for one."""
    for text in (chr(c).casefold(), chr(c).lower()):
        if len(text) == 1:
            return ord(text)
    return c


def folds():
    orbits = {}
    for c in range(END):
        orbits.setdefault(folded(c), set()).add(c)
    step_of = {}
    for orbit in orbits.values():
        members = sorted(orbit)
        for i, c in enumerate(members):
            if len(members) > 1:
                step_of[c] = members[(i + 1) % len(members)] - c
    out = []
    for c, delta in sorted(step_of.items()):
        for run in out[-2:]:
            apart = c - run[1]
            if run[3] == delta and apart <= 2 and run[2] in (0, apart):
                run[1], run[2] = c, apart
                break
        else:
            out.append([c, c, 0, delta])
    return sorted(out)


def main():
    category_names, category_runs = categories()
    script_names, script_runs = scripts()
    out = table("char *const", "regexp_category_names", [f'"{n}"' for n in category_names] + ["NULL"], False)
    out += table("uint32_t", "regexp_categories", [str(n) for n in category_runs])
    out += table("char *const", "regexp_script_names", [f'"{n}"' for n in script_names] + ["NULL"], False)
    out += table("uint32_t", "regexp_scripts", [str(n) for n in script_runs])
    out += table("RegexpFold", "regexp_folds",
                 ["{%d, %d, %d, %d}" % (low, high, max(step, 1), delta) for low, high, step, delta in folds()])
    write("stdlib/regexp_tables.c", HEAD % unicodedata.unidata_version, out)


main()
