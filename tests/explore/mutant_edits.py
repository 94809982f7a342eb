# SPDX-License-Identifier: MIT
"""A breach of the sources that is an edit of one place: mutants and planted
make it in a copy, and build a program of the explorer from that."""

import os
import shutil
from collections import namedtuple

# The path begins in sched/, and the text stands there once. Text and instead
# may be tuples: several places of that file.
Mutant = namedtuple("Mutant", "name program scenario path text instead")


class Failure(Exception):
    """What is wrong with a mutant: the text that says so."""


def edits_of(mutant):
    if isinstance(mutant.text, str):
        return [(mutant.text, mutant.instead)]
    return list(zip(mutant.text, mutant.instead))


def break_copy(mutant, top, folder):
    """Copies what a program is built from, and breaks it."""
    for part in "sched", "vm", "tests/explore", "tests/unit":
        shutil.copytree(os.path.join(top, part), os.path.join(folder, part))
    path = os.path.join(folder, "sched", mutant.path)
    with open(path) as file:
        source = file.read()
    for text, instead in edits_of(mutant):
        source = source.replace(text, instead)
    with open(path, "w") as file:
        file.write(source)


def check_text(mutant, top):
    with open(os.path.join(top, "sched", mutant.path)) as file:
        source = file.read()
    for text, _ in edits_of(mutant):
        if source.count(text) != 1:
            raise Failure("%s has the text that it breaks %d times" % (
                mutant.path, source.count(text)))
