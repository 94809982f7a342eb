# SPDX-License-Identifier: MIT
"""Tables and a plot of what the simulation measured. A result is what
`sim` prints (bench/sim/sim.c), with the name of its variant."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import chart  # noqa: E402
from variants import GROUPS, VARIANTS  # noqa: E402

SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
SHOWN = [1, 4, 16, 64, 256, 1024]
COMPARED_SIZES = [4, 16, 64, 256]
WORKLOADS = ["forkjoin-1us", "forkjoin-10us", "pingpong-half",
             "pingpong-full", "fanin", "bursts", "bursts-half", "thin-chan",
             "thin-spawn", "thin-sleep", "thin-few", "childfirst-1us",
             "childfirst-10us", "pipeline-1us", "pipeline-10us",
             "pipeline-36us", "pipeline-140us", "calls-quick", "calls-slow",
             "memory-half", "memory-full", "net-light", "net-busy"]


# --- Figures ----------------------------------------------------------------
def efficiency(r):
    return r["work"] / r["ns"] / r["procs"]


def speed_up(r):
    return r["work"] / r["ns"]


def part(name):
    return lambda r: r[name] / r["work"]


def wasted(r):
    return (r["search"] + r["system"] + r["other"]) / r["work"]


def number(x):
    if x == 0:
        return "0"
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


# What a workload is judged by: (words, figure), for the comparisons.
TIME = ("ms", lambda r: r["ns"] / 1e6)
CPU = ("overhead / work", wasted)
P50 = ("ready p50 µs", lambda r: r["ready_p50"] / 1e3)
P99 = ("ready p99 µs", lambda r: r["ready_p99"] / 1e3)
JUDGED = {name: [TIME] for name in WORKLOADS}
JUDGED.update({name: [P99, CPU] for name in ("bursts", "bursts-half")})
JUDGED.update({name: [P50, CPU] for name in WORKLOADS if "thin" in name})
JUDGED["thin-sleep"] = [CPU]

# The columns of a workload's two tables: how fast it is, and what that costs.
SPEED = [
    ("Ps", lambda r: str(r["procs"])),
    ("ms", lambda r: number(r["ns"] / 1e6)),
    ("speed-up", lambda r: number(speed_up(r))),
    ("efficiency", lambda r: f"{efficiency(r):.3f}"),
    ("ready p50 µs", lambda r: number(r["ready_p50"] / 1e3)),
    ("p99", lambda r: number(r["ready_p99"] / 1e3)),
    ("max", lambda r: number(r["ready_max"] / 1e3)),
]
COST = [
    ("Ps", lambda r: str(r["procs"])),
    ("search", lambda r: number(part("search")(r))),
    ("kernel", lambda r: number(part("system")(r))),
    ("other", lambda r: number(part("other")(r))),
    ("searches", lambda r: str(r["steal_tries"])),
    ("in vain", lambda r: str(r["steal_tries"] - r["steals"])),
    ("parks", lambda r: str(r["parks"])),
    ("wakes", lambda r: str(r["wakes"])),
    ("in vain", lambda r: str(r["futile_wakes"])),
]


# --- Tables -----------------------------------------------------------------
def markdown(head, rows):
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines = [head, ["-" * (w - 1) + ":" if i else "-" * w
                    for i, w in enumerate(widths)], *rows]
    return "\n".join("| " + " | ".join(
        cell.ljust(w) if i == 0 else cell.rjust(w)
        for i, (cell, w) in enumerate(zip(line, widths))) + " |"
        for line in lines)


def of(results, variant, workload):
    return {r["procs"]: r for r in results
            if r["variant"] == variant and r["workload"] == workload}


def workload_tables(results, workload, sizes):
    rows = of(results, "as now", workload)
    return "\n\n".join(markdown([name for name, _ in columns],
                                [[show(rows[n]) for _, show in columns]
                                 for n in sizes if n in rows])
                       for columns in (SPEED, COST))


def group_table(results, variants, workloads, more):
    head = ["workload", "Ps", "as now", *variants]
    rows = []
    for workload in workloads:
        now = of(results, "as now", workload)
        others = [of(results, v, workload) for v in variants]
        for words, figure in JUDGED.get(workload, [TIME]):
            for n in sorted(COMPARED_SIZES + more):
                cells = [number(figure(r[n])) if n in r else "-"
                         for r in (now, *others)]
                if any(cell != "-" for cell in cells[1:]):
                    rows.append([f"{workload}, {words}", str(n), *cells])
    return markdown(head, rows) if rows else ""


def sections(results, sizes):
    """(key, title, text) of each table."""
    for workload in WORKLOADS:
        if of(results, "as now", workload):
            yield workload, workload, workload_tables(results, workload, sizes)
    for title, group in GROUPS.items():
        table = group_table(results, *group)
        if table:
            yield title.lower().replace(" ", "-"), title, table


def text(results):
    return "\n".join(f"\n{title}\n{table}"
                     for _, title, table in sections(results, SIZES))


# --- The plot ---------------------------------------------------------------
WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 210, 46, 34, 70
HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

PANELS = [
    ("Speed-up: useful work per time", (1, 1024), speed_up,
     [(w, "as now") for w in WORKLOADS[:5]]),
    ("Ready to running, p99, µs", (0.001, 10000),
     lambda r: max(r["ready_p99"], 10) / 1e3,
     [("bursts", "as now"), ("bursts", "one by one"), ("thin-chan", "as now"),
      ("thin-spawn", "as now"), ("thin-few", "as now")]),
    ("Thin: CPU time searching / working",
     (0.01, 10), part("search"),
     [(w, v) for w in ("thin-sleep", "thin-spawn", "thin-chan")
      for v in ("as now", "all Ps")]),
    ("Fan-in: messages per ms", (10, 10000),
     lambda r: 32 * r["procs"] / r["ns"] * 1e6,
     [("fanin", "as now"), ("fanin", "no backoff")]),
]


def log_part(value, low, high):
    import math
    value = min(max(value, low), high)
    return math.log(value / low) / math.log(high / low)


def steps(low, high, factor):
    value = low
    while value <= high * 1.001:
        yield value
        value *= factor


def axes(x, y, bounds):
    for procs in steps(1, 1024, 4):
        at = x + WIDTH * log_part(procs, 1, 1024)
        yield (f'<line x1="{at:.1f}" y1="{y}" x2="{at:.1f}" '
               f'y2="{y + HEIGHT}" stroke="#e4e4e4"/>')
        yield chart.text(at, y + HEIGHT + 14, str(procs), "middle")
    for value in steps(*bounds, 4 if bounds[1] == 1024 else 10):
        at = y + HEIGHT * (1 - log_part(value, *bounds))
        yield (f'<line x1="{x}" y1="{at:.1f}" x2="{x + WIDTH}" '
               f'y2="{at:.1f}" stroke="#e4e4e4"/>')
        yield chart.text(x - 5, at + 4, f"{value:g}", "end")


def curve(points, x, y, bounds, hue, dashed):
    places = " ".join(
        f"{x + WIDTH * log_part(n, 1, 1024):.1f},"
        f"{y + HEIGHT * (1 - log_part(value, *bounds)):.1f}"
        for n, value in points)
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (f'<polyline points="{places}" fill="none" stroke="{hue}" '
            f'stroke-width="1.8"{dash}/>')


def panel(results, x, y, title, bounds, figure, curves):
    parts = [chart.text(x, y - 12, title, style=' font-size="13" '
                        'font-weight="bold"'), *axes(x, y, bounds)]
    hues, below = {}, y + 14
    if "Ready" in title:  # where no curves are
        below = y + HEIGHT - 13 * len(curves)
    for workload, variant in curves:
        rows = of(results, variant, workload)
        if not rows:
            continue
        hue = hues.setdefault(workload, HUES[len(hues)])
        dashed = variant != "as now"
        points = [(n, figure(r)) for n, r in sorted(rows.items())]
        parts.append(curve(points, x, y, bounds, hue, dashed))
        words = workload + (f", {variant}" if dashed else "")
        parts.append(chart.text(x + 8, below, words, style=f' fill="{hue}"'))
        below += 13
    return parts


def svg(results):
    # as fast as can be, in the first panel
    parts = [curve([(1, 1), (1024, 1024)], LEFT, TOP, PANELS[0][1], "#bbb",
                   True)]
    for i, (title, bounds, figure, curves) in enumerate(PANELS):
        x = LEFT + i % 2 * (WIDTH + GAP)
        y = TOP + i // 2 * (HEIGHT + GAP)
        parts += panel(results, x, y, title, bounds, figure, curves)
    width = LEFT + 2 * WIDTH + GAP + 20
    height = TOP + 2 * (HEIGHT + GAP)
    parts.append(chart.text(width / 2, height - 12, "Ps (virtual CPUs)",
                            "middle"))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
        f'{height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11" fill="#333">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *parts, "</svg>", ""])


# --- docs/scaling.* ---------------------------------------------------------
def costs_table(out):
    lines = subprocess.run([out / "as-now" / "sim", "costs"], check=True,
                           capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in lines.splitlines()]
    return markdown(["cost", "ns", "of"],
                    [[name, ns, words] for name, ns, words in rows])


def variants_table():
    return "\n".join(f"- **{name}**: {what[0]}"
                     for name, what in VARIANTS.items())


def write(results, docs, out):
    """Each <!-- name --> ... <!-- end --> of scaling.md gets its table."""
    tables = {key: table for key, _, table in sections(results, SHOWN)}
    tables["costs"] = costs_table(out)
    tables["variants"] = variants_table()
    page = docs / "scaling.md"

    def fill(match):
        name = match.group(1)
        if name not in tables:
            return match.group(0)
        return f"<!-- {name} -->\n{tables[name]}\n<!-- end -->"

    page.write_text(re.sub(r"<!-- ([a-z0-9-]+) -->\n.*?<!-- end -->", fill,
                           page.read_text(), flags=re.S))
    (docs / "scaling.svg").write_text(svg(results))
