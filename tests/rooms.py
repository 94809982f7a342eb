#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which way the arrows between the rooms point, by what the objects of a build
call of each other.

usage: tests/rooms.py BUILD ROOM...

The rooms are folders, the lowest first. A room may use those before it and
itself. Each source folder is a room; and a heading of a header such as

    // --- syscall.c: the quick way ---

stands over functions of that file, until the next heading; where no heading
names a file, a header beside a source declares functions of that source. No
file includes a header of a room above it. In sched/ what a source shows to
others, except in sched.h and memory.h, has a name that begins with its file's.
The README.md of a folder, or of the next one around it, names each of its
files. The table of docs/coverage.md has a row for each room, and none for
others. No two layers have sources of one name, so that a comment's `heap.c` is
one file. The status is 1 when something is wrong; each such thing is a line."""

import collections
import fnmatch
import os
import re
import subprocess
import sys

HEADING = re.compile(r"^// --- (?P<title>.*?) -+$")
FILES = re.compile(r"\b\w+\.(?:c|re|y)\b")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)  # style.py refuses other forms
ANY_ROOM = {"vm/csp.h"}  # what hosts include
# Rooms whose names begin with their file's, and the headers for the rooms
# above, whose names do not tell the file.
NAMED_AFTER_FILES = {"sched": ("sched/sched.h", "sched/memory.h")}
PROTOTYPE = re.compile(r"^[A-Za-z_][\w *]*?\b(\w+)\(")


def symbols(build, room):
    """(object's source, name, is it defined?) of what others can see."""
    folder = os.path.join(build, room)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".o"):
            continue
        source = os.path.join(room, name[:-2])
        if not any(os.path.exists(source + end) for end in (".c", ".re", ".y")) \
                and not os.path.exists(os.path.join(build, source + ".c")):
            continue  # of a source that has gone
        out = subprocess.run(["nm", os.path.join(folder, name)], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        for line in out.splitlines():
            kind, symbol = line.split()[-2:]
            if kind == "U":
                yield source, symbol, False
            elif kind in "TDBRVWC":
                yield source, symbol, True


def back_arrows(rooms, defined, used):
    found = collections.defaultdict(set)
    for source, symbol in used:
        to = defined.get(symbol)
        if to and rooms.index(os.path.dirname(to)) > \
                rooms.index(os.path.dirname(source)):
            found[source, to].add(symbol)
    for (source, to), names in sorted(found.items()):
        yield "%s uses %s, a room above it: %s" % (source, to,
                                                   ", ".join(sorted(names)))


def back_includes(rooms):
    for room in rooms:
        for name in sorted(os.listdir(room)):
            if not name.endswith((".c", ".h", ".y", ".re")):
                continue
            with open(os.path.join(room, name), encoding="utf-8") as f:
                included = INCLUDE.findall(f.read())
            for path in included:
                folder = os.path.dirname(path)
                if folder in rooms and path not in ANY_ROOM and \
                        rooms.index(folder) > rooms.index(room):
                    yield "%s includes %s, of a room above it" % (
                        os.path.join(room, name), path)


def wrong_headings(path, defined):
    """Functions of a header that stand under the name of another file."""
    beside = os.path.splitext(path)[0] + ".c"
    own_source = [os.path.basename(beside)] if os.path.exists(beside) else []
    files = own_source
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            heading = HEADING.match(line)
            if heading:
                files = FILES.findall(heading.group("title")) or own_source
            match = PROTOTYPE.match(line)
            if not match or not files or match.group(1) not in defined:
                continue
            own = os.path.basename(defined[match.group(1)])
            if own not in [os.path.splitext(name)[0] for name in files]:
                yield "%s:%d: %s stands under %s, and is in %s.c" % (
                    path, number, match.group(1), ", ".join(files),
                    defined[match.group(1)])


def wrong_names(room, faces, defined):
    """What sources show, beside a room's faces, under another file's name."""
    public = set()
    for path in faces:
        with open(path, encoding="utf-8") as f:
            public.update(re.findall(r"\w+", f.read()))
    shown = [(name, source) for name, source in defined.items()
             if os.path.dirname(source) == room]
    for path in headers([room]):
        source = os.path.splitext(path)[0]
        if path not in faces and os.path.exists(source + ".c"):
            with open(path, encoding="utf-8") as f:
                shown += [(match.group(1), source) for line in f
                          if (match := PROTOTYPE.match(line))]
    for name, source in sorted(set(shown)):
        base = os.path.basename(defined.get(name, source))
        if name not in public and not re.match(base + "s?(_|$)", name):
            yield "%s shows %s, whose name begins with another word than %s" % (
                source, name, base)


def headers(rooms):
    folders = sorted(set(rooms) | {room.split("/")[0] for room in rooms})
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".h"):
                yield os.path.join(folder, name)


# Folders that are no rooms, and whose README lists their files all the same.
LISTED_TOO = (
    "bench", "bench/embed", "bench/json", "bench/sched", "bench/sched/peers",
    "bench/sched/variants", "bench/sim", "examples", "examples/embed", "stdlib/native",
    "tests", "tests/complexity", "tests/docs", "tests/embed", "tests/explore", "tests/fuzz",
    "tests/gen", "tests/models", "tests/relacy", "tests/soak", "tests/unit")


def unlisted(room):
    """Files that no README names. In one, `heap.[ch]` stands for two files, and
    `tests/soak/run 600` for run."""
    folder = room
    while folder and not os.path.exists(os.path.join(folder, "README.md")):
        folder = os.path.dirname(folder)
    if not folder:
        yield "%s has no README.md, nor has a folder around it" % room
        return
    readme = os.path.join(folder, "README.md")
    with open(readme, encoding="utf-8") as f:
        text = f.read()
    # in backquotes, or at the beginning of an indented line
    words = re.findall(r"`([^`\s]+)[^`\n]*`", text) + re.findall(r"^    (\S+)", text, re.MULTILINE)
    named = [os.path.basename(word) for word in words]
    for name in sorted(os.listdir(room)):
        if name != "README.md" and os.path.isfile(os.path.join(room, name)) and \
                not any(fnmatch.fnmatchcase(name, word) for word in named):
            yield "%s does not list %s" % (readme, os.path.join(room, name))


# The module of that name, and the header of the layer.
MAY_SHARE = ("sched",)


def same_names(rooms):
    """Sources of two layers that have one name."""
    first = {}
    for room in rooms:
        for name in sorted(os.listdir(room)):
            stem, end = os.path.splitext(name)
            if end not in (".c", ".h", ".re", ".y") or stem in MAY_SHARE:
                continue
            other = first.setdefault(stem, room)
            if other.split("/")[0] != room.split("/")[0]:
                yield "%s and %s/ have a %s, both" % (os.path.join(room, name), other, stem)


COVERAGE = "docs/coverage.md"
COVERAGE_ROW = re.compile(r"^\| `([\w/]+)/` \|", re.MULTILINE)


def rows_of_coverage(rooms):
    """Rooms that its table lacks, and rows that are of no room."""
    with open(COVERAGE, encoding="utf-8") as f:
        rows = set(COVERAGE_ROW.findall(f.read()))
    folders = set(rooms) | {room.split("/")[0] for room in rooms}
    for folder in sorted(folders - rows):
        yield "%s has no row for %s/: run make coverage" % (COVERAGE, folder)
    for folder in sorted(rows - folders):
        yield "%s has a row for %s/, which is no room" % (COVERAGE, folder)


def main():
    build, rooms = sys.argv[1], sys.argv[2:]
    defined, used = {}, []
    for room in rooms:
        for source, symbol, is_defined in symbols(build, room):
            if is_defined:
                defined[symbol] = source
            else:
                used.append((source, symbol))
    wrong = list(back_arrows(rooms, defined, used))
    wrong += back_includes(rooms)
    wrong += same_names(rooms)
    for path in headers(rooms):
        wrong += wrong_headings(path, defined)
    for room, faces in NAMED_AFTER_FILES.items():
        wrong += wrong_names(room, faces, defined)
    for room in sorted({"vm", *rooms, *LISTED_TOO}):
        wrong += unlisted(room)
    wrong += rows_of_coverage(rooms)
    for line in wrong:
        print("rooms: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
