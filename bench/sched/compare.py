# SPDX-License-Identifier: MIT
"""Compares schedulers that run the same workloads: the peers' programs with
ours (`run peers`), or the queues of variants/ with each other (`run variants`).

A program takes WORKLOAD WORKERS SIZE, checks its result, and prints a line
`value WORKLOAD.WORKERS NS`, perhaps `moved WORKLOAD.WORKERS COUNT`. All take
turns. Cells are medians of the rounds, and in parentheses how many times the
first program's that is: above 1, the first one is faster."""
import os
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

import peers
from tables import aligned, into_page, machine_line, marked_down

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120  # seconds for one run

# key, what it is, what a figure is of, size, size with --quick
Workload = namedtuple("Workload", "key what of size quick")
TREES = [Workload("fib", "fib(27)", "a call", 27, 20),
         Workload("skynet", "skynet of 10^6", "a task", 10**6, 10**4)]
WAKES = [Workload("ring", "ring of 503", "a wake", 2_000_000, 50_000),
         Workload("pingpong", "ping-pong", "a round trip", 1_000_000, 20_000)]
# Longer, as these take a tenth of the time: a run of some milliseconds is over
# before the system has given each thread a CPU.
QUEUES = [Workload("fib", "fib(32)", "a call", 32, 20),
          Workload("skynet", "skynet of 10^7", "a task", 10**7, 10**4)]
STRESS = Workload("stress", "owner against thieves", "", 3_000_000, 300_000)
NO_CHANNELS = ("TBB, Rayon and OpenMP have no channel or message between "
               "tasks, so they have no ring and no ping-pong.")

VARIANTS = [("steal_half", "rings, half is stolen (as in sched/)"),
            ("steal_one", "rings, one is stolen"),
            ("chase_lev", "Chase and Lev's deques"),
            ("the", "Cilk-5's THE deques"),
            ("sharing", "work sharing, private queues"),
            ("static_split", "a static split"),
            ("central", "one central queue with a lock")]


class Runs:
    """All lines that one program printed."""

    def __init__(self, program):
        self.program, self.lines, self.failures = program, {}, []

    def add(self, workload, workers, quick):
        if workload.key not in self.program.workloads:
            return
        size = workload.quick if quick else workload.size
        command, env = self.program.command(workload.key, workers, size)
        case = f"{self.program.name}: {workload.key}, {workers} workers"
        try:
            done = subprocess.run(command, env={**os.environ, **env}, text=True,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT,
                                  stdout=subprocess.PIPE, check=False)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{case}: took more than {LIMIT} s")
            return
        words = [line.split() for line in done.stdout.splitlines()]
        key = f"{workload.key}.{workers}"
        if done.returncode != 0 or not any(w[1:2] == [key] for w in words):
            self.failures.append(f"{case}: ended with {done.returncode}")
        for kind, name, number in (w for w in words if len(w) == 3):
            self.lines.setdefault((kind, name), []).append(float(number))

    def median(self, kind, workload, workers):
        found = self.lines.get((kind, f"{workload.key}.{workers}"))
        return statistics.median(found) if found else None


def measure(programs, workloads, options):
    every = [Runs(program) for program in programs]
    count = options.n or (1 if options.quick else 5)
    for at in range(count):
        for workload in workloads:
            for workers in options.workers:
                for runs in every:
                    runs.add(workload, workers, options.quick)
        print(f"round {at + 1} of {count} done", file=sys.stderr)
    return every


# ---- tables -----------------------------------------------------------------
def number(value):
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def cell(value, ours):
    if value is None:
        return ""
    return number(value) + (f" ({ratio(value / ours)})" if ours else "")


def times_table(every, workloads, workers):
    columns = [(w, n) for w in workloads for n in workers]
    lines = [["ns", *(f"{w.key}, {n}" for w, n in columns)]]
    for runs in every:
        lines.append([runs.program.name,
                      *(cell(runs.median("value", w, n),
                             every[0].median("value", w, n) or 0)
                        for w, n in columns)])
    return lines


def moved_table(every, workloads, workers):
    columns = [(w, n) for w in workloads for n in workers if n > 1]
    lines = [["tasks that changed threads",
              *(f"{w.key}, {n}" for w, n in columns)]]
    for runs in every:
        values = [runs.median("moved", w, n) for w, n in columns]
        lines.append([runs.program.name, *("" if v is None else f"{v:,.0f}"
                                           for v in values)])
    return lines


def legend(workloads, quick):
    texts = [f"{w.key}: {w.what}, ns {w.of}" for w in workloads]
    return "; ".join(texts) + (" (shorter: --quick)" if quick else "")


def write(every, options, load, form):
    yield machine_line(load)
    if options.what == "peers":
        for workloads in TREES, WAKES:
            yield from ("", legend(workloads, options.quick), "")
            yield from form(times_table(every, workloads, options.workers))
        yield from ("", NO_CHANNELS)
    else:
        yield from ("", legend(QUEUES, options.quick), "")
        yield from form(times_table(every, QUEUES, options.workers))
        if max(options.workers) > 1:
            yield ""
            yield from form(moved_table(every, [*QUEUES, STRESS],
                                        options.workers))


# ---- variants ---------------------------------------------------------------
def build_variants(folder, options):
    for name, what in VARIANTS:
        source = os.path.join(HERE, "variants", name + ".c")
        program = os.path.join(folder, name)
        peers.compile_ours(source, program, options)
        yield peers.Program(what, {"fib", "skynet", "stress"},
                            peers.plain(program))


def build(folder, options):
    """The programs, and what went wrong."""
    if options.what == "peers":
        return peers.build(folder, options)
    return list(build_variants(folder, options)), []


def main(options):
    """The exit status."""
    load = os.getloadavg()[0]
    workloads = (TREES + WAKES if options.what == "peers"
                 else [*QUEUES, STRESS])
    with tempfile.TemporaryDirectory() as folder:
        programs, failures = build(folder, options)
        every = measure(programs, workloads, options)
    print("\n".join(write(every, options, load, aligned)))
    if options.markdown:
        text = "\n".join(write(every, options, load, marked_down))
        into_page(options.markdown, text, f"bench/sched/run {options.what}")
    failures += [failure for runs in every for failure in runs.failures]
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    return 1 if failures else 0
