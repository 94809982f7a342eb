#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A target's kept inputs in one text file, a line of base64 for each.

    corpus.py pack FOLDER FILE BYTES [FIRST]
                                        all inputs of the folder FIRST, and of
                                        the others the smallest, which are so
                                        many bytes in all
    corpus.py unpack FILE FOLDER        makes the folder, with a file for each
                                        input"""

import base64
import hashlib
import os
import sys


def read(folder):
    inputs = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            inputs.append(file.read())
    return sorted(set(inputs), key=lambda data: (len(data), data))


def pack(folder, path, most, first=None):
    inputs = read(first) if first else []
    inputs += [data for data in read(folder) if data not in inputs]
    lines, size = [], 0
    for data in inputs:
        size += len(data)
        if data and size <= most:
            lines.append(base64.b64encode(data).decode() + "\n")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(sorted(lines))
    print("%s: %d of %d inputs" % (path, len(lines), len(inputs)))


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    with open(path, encoding="ascii") as file:
        for line in file:
            data = base64.b64decode(line)
            name = hashlib.sha1(data).hexdigest()
            with open(os.path.join(folder, name), "wb") as out:
                out.write(data)


if len(sys.argv) in (5, 6) and sys.argv[1] == "pack":
    pack(sys.argv[2], sys.argv[3], int(sys.argv[4]), *sys.argv[5:])
elif len(sys.argv) == 4 and sys.argv[1] == "unpack":
    unpack(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
