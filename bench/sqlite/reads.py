# SPDX-License-Identifier: MIT
"""What bench/sqlite/run measures of Python: ns for a row read by its key."""
import sqlite3
import sys
import time


def measure(path, reads):
    db = sqlite3.connect(path)
    if path == ":memory:":
        db.execute("create table t(k integer primary key, v text, n int)")
        db.executemany("insert into t values(?, ?, ?)", [(i, "value %d" % i, i * 7) for i in range(reads)])
        db.commit()
    total, best = 0, None
    for _ in range(5):
        begun = time.monotonic_ns()
        for i in range(reads):
            total += db.execute("select v, n from t where k = ?", (i * 7919 % reads,)).fetchone()[1]
        took = (time.monotonic_ns() - begun) // reads
        best = took if best is None else min(best, took)
    print(best, total)


measure(sys.argv[1], 10_000)
