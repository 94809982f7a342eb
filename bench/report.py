# SPDX-License-Identifier: MIT
"""What the runner tells, as text and as Markdown: tables of all groups with the
goals met and missed, the machine, and the versions."""
import os
import platform
import re
import statistics
import subprocess
import sys


class Report:
    """Tables of all groups; counts the goals as it makes the cells."""

    def __init__(self):
        self.tables = []  # (title, header, lines)
        self.charts = []  # (title, peers, [(label, {peer: ratio})])
        self.met, self.missed = 0, []

    def cell(self, label, value, limit, what=""):
        text = f"{value:.2f}" if value < 10 else f"{value:.0f}"
        tail = f" {what}" if what else ""
        if limit is None:
            return text + tail
        if value <= limit:
            self.met += 1
        else:
            self.missed.append(f"{label}: {text}{tail}, goal {limit}")
        return f"{text}{tail} ≤{limit} {'✓' if value <= limit else '✗'}"

    def add(self, group, rows, mean_limits):
        """A table of the rows. mean_limits are goals of the geometric means."""
        rows = [row for row in rows if "cspvm" in row.runs]
        if not rows:
            return
        peers = list(dict.fromkeys(p for row in rows for p in row.runs))[1:]
        lines, bars = [], []
        for row in rows:
            ratios = {p: row.ratio(p) for p in peers if row.ratio(p)}
            bars.append((row.label, ratios))
            lines.append([
                row.label, f"{row.median('cspvm'):.4f}",
                f"{row.median('cspvm', 'cpu'):.3f}",
                f"{row.median('cspvm', 'peak'):.1f}", f"{row.spread():.0%}",
                *(self.cell(f"{row.label} / {p}", ratios[p], row.goals.get(p))
                  if p in ratios else "-" for p in peers),
                ", ".join(self.cell(row.label, value, limit, what)
                          for what, value, limit in row.figures(rows))])
        inside = [row for row in rows if row.in_means]
        if inside:
            lines.append(self.means(inside, peers, mean_limits))
        header = ["workload", "s", "CPU s", "MB", "spread",
                  *(f"/ {p}" for p in peers), "figures"]
        self.tables.append((group, header, lines))
        self.charts.append((group, peers, bars))

    def means(self, rows, peers, limits):
        """The line of the ratios' geometric means."""
        cells = []
        for peer in peers:
            ratios = [row.ratio(peer) for row in rows if row.ratio(peer)]
            cells.append(self.cell(
                f"geometric mean / {peer}", statistics.geometric_mean(ratios),
                limits.get(peer)) if ratios else "-")
        return ["geometric mean", "", "", "", "", *cells, ""]

    def text(self):
        for title, header, lines in self.tables:
            widths = [max(map(len, column)) for column in zip(header, *lines)]
            yield f"\n{title}"
            for line in (header, *lines):
                yield "  ".join(
                    cell.ljust(width) if n in (0, len(line) - 1)
                    else cell.rjust(width)
                    for n, (cell, width) in enumerate(zip(line, widths))
                ).rstrip()

    def markdown(self):
        for title, header, lines in self.tables:
            yield f"\n## {title.capitalize()}\n"
            yield f"| {' | '.join(header)} |"
            yield "|---" + "|---:" * (len(header) - 2) + "|---|"
            for line in lines:
                yield f"| {' | '.join(line)} |"


def version(peer):
    """What the peer calls itself, without its addresses."""
    command = {"luajit": "luajit -v", "lua5.4": "lua5.4 -v", "go": "go version",
               "erl": "erl -noshell -eval io:put_chars(erlang:system_info("
                      "otp_release)),halt().",
               "python3": f"{sys.executable} --version",
               "node": "node --version"}.get(peer, f"{peer} --version")
    done = subprocess.run(command.split(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode().strip().split("\n")[0].split(" -- ")[0]
    text = re.sub(r"  Copyright.*| \S+/\S+$", "", text)
    text = text.replace("go version go", "Go ")
    return {"node": "Node.js ", "erl": "Erlang/OTP "}.get(peer, "") + text


def machine():
    with open("/proc/cpuinfo") as info:
        model = re.search(r"model name\s*: (.*)", info.read())
    return (f"{model[1] if model else platform.machine()}, "
            f"{len(os.sched_getaffinity(0))} CPUs, {platform.system()} "
            f"{platform.release()}, load {os.getloadavg()[0]:.1f}")
