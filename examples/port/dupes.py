"""Finds files with the same contents.

    python3 dupes.py FOLDER...
"""
import hashlib
import os
import sys
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Copies:
    size: int
    paths: list

    def waste(self):
        return self.size * (len(self.paths) - 1)


def files_below(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if os.path.isfile(full) and not os.path.islink(full):
                yield full


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def groups_by(key, paths):
    groups = defaultdict(list)
    for path in paths:
        try:
            groups[key(path)].append(path)
        except OSError:
            print(f"cannot read {path}", file=sys.stderr)
    return {k: group for k, group in groups.items() if len(group) > 1}


def find(paths):
    found = []
    for size, group in groups_by(os.path.getsize, paths).items():
        for copies in groups_by(digest, group).values():
            found.append(Copies(size, copies))
    return sorted(found, key=lambda copies: (-copies.waste(), copies.paths[0]))


def main():
    folders = sys.argv[1:]
    if not folders:
        sys.exit("usage: dupes.py FOLDER...")
    paths = sorted({path for folder in folders for path in files_below(folder)})
    found = find(paths)
    for copies in found:
        print(f"{copies.size:8d} bytes, {len(copies.paths)} times:")
        for path in copies.paths:
            print(f"    {path}")
    waste = sum(copies.waste() for copies in found)
    print(f"{len(paths)} files, {waste / 1024:.1f} KB too much")


main()
