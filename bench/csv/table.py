# SPDX-License-Identifier: MIT
"""table.py FILE TURNS parse|rows|text: as table.csp does."""
import csv
import io
import sys
import time

PATH, TURNS, WHAT = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def read_text():
    with open(PATH, encoding="utf-8", newline="") as f:
        return f.read()


def timed(f):
    result = None
    began = time.monotonic()
    for _ in range(TURNS):
        result = f()
    print("%s: %g" % (WHAT, (time.monotonic() - began) * 1e3 / TURNS))
    return result


def count_rows():
    with open(PATH, encoding="utf-8", newline="") as f:
        return sum(len(row[0].encode()) + len(row) for row in csv.reader(f))


def parse(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def write(rows):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


if WHAT == "rows":
    print("result: %d" % timed(count_rows))
elif WHAT == "parse":
    text = read_text()
    rows = timed(lambda: parse(text))
    print("result: %d" % (len(rows) + len(rows[0])))
else:
    rows = parse(read_text())
    print("result: %d" % len(timed(lambda: write(rows)).encode()))
