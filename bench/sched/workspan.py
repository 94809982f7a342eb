# SPDX-License-Identifier: MIT
"""Work and span of programs (CSPDEBUG=workspan=1), and how long they take with
1 and 2 Ps beside what the theory allows: docs/work-and-span.md.

Times are of the whole process, without those of a program that does nothing.
All runs take turns, before all other programs if the system allows it (else
nice tries), and each figure is the median."""
import os
import re
import statistics
import subprocess
import sys
import time

from tables import aligned, into_page, machine_line, marked_down

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = [f"{folder}/{name}.csp" for folder, names in (
    ("bench/sched/spans", "tree pipeline uneven locked chain sleepers"),
    ("examples", "mandelbrot jobs build"),
    ("bench/concurrency", "parallel sieve fibtask spawn_tree spawn fibchan "
     "select4 ring pingpong contended buffered mutex")) for name in names.split()]
ARGUMENTS = {"examples/mandelbrot.csp": ("/dev/null", "640", "480")}
NOTHING = ("-e", "")
PROCS = (1, 2)
LINE = re.compile(r"^workspan: T1 ([\d.]+) ms, Tinf ([\d.]+) ms, ", re.M)
HEAD = ["program", "T₁", "T∞", "T₁/T∞", "1 P", "bounds", "2 Ps", "bounds"]


def before_others():
    """A command that runs another one with a priority above the usual ones."""
    first = ["chrt", "-f", "1"]
    try:
        subprocess.run([*first, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return ["nice", "-n", "-20"]
    return first


PRIORITY = before_others()


def run(options, words, procs, debug=None):
    """Milliseconds, and what it printed on standard error."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CSP")}
    if debug:
        env["CSPDEBUG"] = debug
    command = [*PRIORITY, options.bin, "--procs", str(procs), *words]
    begun = time.monotonic()
    done = subprocess.run(command, cwd=TOP, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, timeout=300, check=False)
    took = (time.monotonic() - begun) * 1000
    if done.returncode != 0:
        sys.exit(f"{words} ended with {done.returncode}: {done.stderr}")
    return took, done.stderr


class Program:
    """What was measured of one."""

    def __init__(self, *words):
        self.words = words
        self.work, self.span, self.times = [], [], {p: [] for p in PROCS}

    def measure(self, options):
        for procs in PROCS:
            self.times[procs].append(run(options, self.words, procs)[0])
        found = LINE.search(run(options, self.words, 1, "workspan=1")[1])
        self.work.append(float(found[1]))
        self.span.append(float(found[2]))

    def row(self, nothing):
        work, span = statistics.median(self.work), statistics.median(self.span)
        name = os.path.splitext(os.path.basename(self.words[0]))[0]
        cells = [name, number(work), number(span), number(work / span)]
        for procs in PROCS:
            took = statistics.median(self.times[procs])
            took -= statistics.median(nothing.times[procs])
            share = work / procs
            cells += [number(took),
                      f"{number(max(share, span))} to {number(share + span)}"]
        return cells


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main(options):
    load = os.getloadavg()[0]
    programs = [Program(*NOTHING), *(Program(path, *ARGUMENTS.get(path, ())) for path in PROGRAMS)]
    for at in range(options.n or (1 if options.quick else 5)):
        for program in programs:
            program.measure(options)
        print(f"round {at + 1} done", file=sys.stderr)
    lines = [HEAD] + [p.row(programs[0]) for p in programs[1:]]
    print("\n".join([machine_line(load), *aligned(lines)]))
    if options.markdown:
        text = "\n".join([machine_line(load), "", *marked_down(lines)])
        into_page(options.markdown, text, "bench/sched/run workspan")
    return 0
