# SPDX-License-Identifier: MIT
"""Tables of the measurements in this folder, as text and as Markdown, and the
place of a page that they go to."""
import os
import platform
import re
import textwrap


def machine_line(load):
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
        if found:
            model = found.group(1)
    cpus = len(os.sched_getaffinity(0))
    text = (f"{model}, {cpus} CPUs, Linux {platform.release()}, "
            f"load {load:.1f} at the start")
    if load > cpus / 4:
        text += ": the machine was busy, which hits what lies between threads"
    return text


def aligned(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(line, widths))]
        yield "  ".join(cells).rstrip()


def marked_down(lines):
    yield "| " + " | ".join(lines[0]) + " |"
    yield "|---|" + "---:|" * (len(lines[0]) - 1)
    for line in lines[1:]:
        yield "| " + " | ".join(line) + " |"


def marks(script):
    """The lines of a page between which the script writes."""
    return (f"<!-- measured: written by {script} --markdown -->",
            "<!-- end of what was measured -->")


def wrapped(text):
    """Prose as documents have it: lines of 120 columns. Tables stay."""
    for line in text.split("\n"):
        yield line if line.startswith("|") else textwrap.fill(line, 120)


def into_page(path, text, script):
    """Between the marks, or at the end of a page without them."""
    text = "\n".join(wrapped(text))
    first, last = marks(script)
    page = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            page = file.read()
    begin = page.find(first)
    end = page.find(last, max(begin, 0))
    block = f"{first}\n\n{text}\n\n{last}"
    if 0 <= begin < end:
        page = page[:begin] + block + page[end + len(last):]
    else:
        page += ("\n" if page else "") + block + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
