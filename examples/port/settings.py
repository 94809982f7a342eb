"""A table of what servers' settings in TOML are, and where they come from.

    python3 settings.py DEFAULTS.toml SERVER.toml...
"""
import sys
import tomllib
from pathlib import Path


def flat(table, before=""):
    """{"a.b": value} of {"a": {"b": value}}."""
    found = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found.update(flat(value, f"{before}{key}."))
        else:
            found[before + key] = value
    return found


def shown(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(shown, value)) or "-"
    return str(value)


def main():
    tables = {}
    for name in sys.argv[1:]:
        try:
            tables[Path(name).stem] = flat(tomllib.loads(Path(name).read_text(encoding="utf-8")))
        except (OSError, tomllib.TOMLDecodeError) as error:
            kind = "is not there" if isinstance(error, FileNotFoundError) else "is no TOML"
            print(f"{name} {kind}", file=sys.stderr)
            sys.exit(2)
    (_, defaults), *servers = tables.items()
    keys = sorted({key for table in tables.values() for key in table})
    rows = [["setting", *tables]]
    for key in keys:
        changed = ["=" if table.get(key, defaults.get(key)) == defaults.get(key) else shown(table[key])
                   for _, table in servers]
        rows.append([key, shown(defaults.get(key, "")), *changed])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    for name, table in servers:
        print(f"{name}: {len(table.keys() & defaults.keys())} of {len(table)} are known")


main()
