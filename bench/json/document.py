# SPDX-License-Identifier: MIT
"""document.py FILE TURNS parse|both: as json.csp does. (A json.py would be
imported in place of the library's module.)"""
import json
import sys
import time

PATH, TURNS, WHAT = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def timed(name, f):
    result = None
    began = time.monotonic()
    for _ in range(TURNS):
        result = f()
    print("%s: %g" % (name, (time.monotonic() - began) * 1e3 / TURNS))
    return result


def count(value):
    if isinstance(value, dict):
        return 1 + sum(map(count, value.values()))
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


def write(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


with open(PATH, encoding="utf-8") as f:
    text = f.read()
value = timed("parse", lambda: json.loads(text))
if WHAT == "both":
    timed("text", lambda: write(value))
    print("values: %d" % count(value))
