# SPDX-License-Identifier: MIT
"""What hash/run and gzip/run share: the same program in each language, which
take turns.

A program gets a file, how often it does its work, and what that is. It prints
the ns of one turn, and texts that the caller compares."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def options(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=HERE + "/../build/cspvm")
    parser.add_argument("-n", type=int, default=5, help="rounds")
    parser.add_argument("--quick", action="store_true", help="one round, and less work")
    given = parser.parse_args()
    if given.quick:
        given.n = 1
    return given


def programs(name, binary, folder):
    """{language: command} of bench/NAME/NAME.*, for those that are here."""
    source = "%s/%s/%s" % (HERE, name, name)
    found = {"cspvm": [binary, source + ".csp"]}
    if shutil.which("go"):
        subprocess.run(["go", "build", "-o", folder + "/go", source + ".go"], check=True,
                       env={**os.environ, "GO111MODULE": "off", "GOCACHE": folder + "/cache"})
        found["go"] = [folder + "/go"]
    if shutil.which("node"):
        found["node"] = ["node", source + ".js"]
    found["python"] = [sys.executable, source + "_peer.py"]
    return found


def measure(commands, arguments, rounds):
    """{program: median ns}, and {program: what else it printed}. A round of its
    own, which is not counted, comes first if there are several."""
    times, texts = {name: [] for name in commands}, {}
    for _ in range(rounds + (rounds > 1)):
        for name, command in commands.items():
            out = subprocess.run([*command, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout
            ns, *texts[name] = out.split()
            times[name].append(float(ns))
    return {name: statistics.median(each[rounds > 1:]) for name, each in times.items()}, texts


def row(labels, names, cells, ratios):
    """A line of a table. A cell of a program that has no figure is `-`."""
    line = ["%.5g" % cells[name] if name in cells else "-" for name in names]
    line += ["%.2f" % ratios[name] if name in ratios else "-" for name in names if name != "cspvm"]
    print("| " + " | ".join([*labels, *line]) + " |", flush=True)


def head(labels, names):
    columns = [*labels, *names, *("cspvm / " + name for name in names if name != "cspvm")]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
