# SPDX-License-Identifier: MIT
"""Bar charts of ratios as SVG text, on a logarithmic scale round 1."""
import math
from html import escape

COLOURS = {"lua5.4": "#0072b2", "luajit -joff": "#56b4e9", "luajit": "#d55e00",
           "python3": "#009e73", "node": "#cc79a7", "go": "#0072b2",
           "erl": "#d55e00"}
LABELS, PLOT, MARGIN = 150, 640, 60  # widths: labels left, bars, figures right
BAR, GAP = 8, 8                      # heights
LEAST, MOST = -5, 5                  # the scale's ends, as powers of 2


def across(ratio):
    """Where a ratio stands; what is beyond the scale stands at its end."""
    power = min(max(math.log2(ratio), LEAST), MOST)
    return LABELS + PLOT * (power - LEAST) / (MOST - LEAST)


def text(x, y, words, anchor="start", style=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>'
            f"{escape(words)}</text>")


def number(ratio):
    """A ratio in three characters or so; a star marks a bar that is cut."""
    star = "" if LEAST <= math.log2(ratio) <= MOST else "*"
    return (f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}") + star


def scale(top, bottom):
    """Lines at the powers of two, with what they mean above."""
    for power in range(LEAST, MOST + 1):
        x = across(2.0 ** power)
        yield (f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" '
               f'stroke="{"#555" if power == 0 else "#ddd"}"/>')
        name = f"1/{2 ** -power}" if power < 0 else str(2 ** power)
        yield text(x, top - 5, name, "middle")


def legend(y, peers):
    x = LABELS
    for peer in peers:
        yield (f'<rect x="{x}" y="{y - 9}" width="12" height="10" '
               f'fill="{COLOURS[peer]}"/>')
        yield text(x + 17, y, f"/ {peer}")
        x += 45 + 7 * len(peer)


def panel(y, title, peers, rows):
    """One group's chart from y down; gives its parts and where it ends."""
    parts = [text(LABELS, y + 14, title, style=' font-size="15" '
                  'font-weight="bold"'), *legend(y + 34, peers)]
    parts.append(text(across(1) - 8, y + 56, "← cspvm faster", "end"))
    parts.append(text(across(1) + 8, y + 56, "peer faster →"))
    top = y + 78
    bottom = top + sum(GAP + BAR * len(ratios) for _, ratios in rows) + GAP
    parts += scale(top, bottom)
    y = top + GAP
    for label, ratios in rows:
        parts.append(text(LABELS - 8, y + BAR * len(ratios) / 2 + 4, label,
                          "end"))
        for peer in (p for p in peers if p in ratios):
            ratio = ratios[peer]
            left, right = sorted((across(1), across(ratio)))
            parts.append(f'<rect x="{left:.1f}" y="{y}" height="{BAR - 1}" '
                         f'width="{max(right - left, 1):.1f}" '
                         f'fill="{COLOURS[peer]}"/>')
            beside = (right + 3, "start") if ratio >= 1 else (left - 3, "end")
            parts.append(text(beside[0], y + BAR - 1, number(ratio), beside[1],
                              ' font-size="8"'))
            y += BAR
        y += GAP
    return parts, bottom + 24


def svg(charts):
    """The SVG of charts, (title, peers, [(label, {peer: ratio})]) each."""
    parts, y = [], 10
    for title, peers, rows in charts:
        rows = [row for row in rows if row[1]]
        if rows:
            more, y = panel(y, f"{title}: time of cspvm / time of the peer",
                            peers, rows)
            parts += more
    width = LABELS + PLOT + MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" '
        f'width="{width}" height="{y}" font-family="sans-serif" '
        f'font-size="11" fill="#333">',
        f'<rect width="{width}" height="{y}" fill="#fff"/>',
        *parts, "</svg>", ""])
