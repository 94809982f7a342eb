# SPDX-License-Identifier: MIT
"""Tables of C that regexp_tables.py, text_tables.py and html_names.py write."""

END = 0x110000  # after the last code point


def _lines_of(items):
    line = ""
    for item in items:
        if len(line) + len(item) + 2 > 78:
            yield line
            line = ""
        line += (" " if line else "    ") + item + ","
    yield line


def table(kind, name, items, counted=True):
    """The lines of an array, and of its length if that is wanted."""
    count = f"const size_t {name}_count = sizeof {name} / sizeof *{name};"
    return [f"const {kind} {name}[] = {{", *_lines_of(items), "};", *([count] if counted else [])]


def write(path, head, lines):
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join([head, "// clang-format off", *lines]) + "\n")
