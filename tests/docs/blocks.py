# SPDX-License-Identifier: MIT
"""The code blocks of README.md and docs/*.md as tests, for tests/run.

A fence says what its block is (tests/README.md has the table). A block of a
kind that is not known, one without a kind, and an output that belongs to no
program are tests that fail: nothing is skipped. What a program prints stands
after the lines that print it, or in the `output` block that follows."""

import glob
import os
import re
import subprocess

FENCE = re.compile(r"^ {0,3}```+\s*(.*)$")
INDENTED = re.compile(r"^(    |\t)\S")
LIST = re.compile(r"^\s*([-*]|\d+\.) ")
# Code without strings up to the comment; then the comment.
COMMENT = re.compile(
    r"""^((?:[^"'`/]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|/(?!/))*)"""
    r"//\s?(.*)$")
PRINTS = re.compile(r"\b(print|println|printf)\(")
ANY = "..."  # in an output: any lines
LANGUAGES = ["csp"], ["c"], ["python"]
FILES = "csp file", "python file"
HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib/host.sh")
MARK = "\1end of the command"


class Block:
    """One block. `wrong` says what is wrong with how it is written."""

    def __init__(self, path, line, kind, text):
        self.path, self.line, self.text = path, line, text
        words = kind.split()
        self.kind = " ".join(words[:2]) if words[:1] in LANGUAGES \
            else kind.strip()
        self.words = words[2:]
        self.output, self.files, self.wrong = None, [], ""

    def place(self):
        return "%s:%d" % (self.path, self.line)


def read_blocks(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    found, at, before = [], 0, ""
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            start = at + 1
            at = start
            while at < len(lines) and not FENCE.match(lines[at]):
                at += 1
            margin = len(lines[start - 1]) - len(lines[start - 1].lstrip())
            text = [line[margin:] for line in lines[start:at]]
            found.append(Block(path, start, fence.group(1), text))
            if at == len(lines):
                found[-1].wrong = "the block has no end"
            before = ""
        elif INDENTED.match(lines[at]) and not lines[at - 1].strip() and \
                not (LIST.match(before) or before.startswith(" ")):
            block = Block(path, at + 1, "", [])
            block.wrong = ("an indented block does not say what it is: put it "
                           "between fences (tests/README.md)")
            found.append(block)
        if at < len(lines) and lines[at].strip():
            before = lines[at]
        at += 1
    return found


def join_blocks(blocks):
    """Those that are tests, with the files and outputs that belong to them."""
    tests, files, c_files, last = [], [], [], None
    for block in blocks:
        if block.kind == "output" and last is not None:
            last.output = block.text
        elif block.kind in FILES and len(block.words) == 1:
            files.append(block)
            continue
        elif block.kind == "c file" and len(block.words) == 1:
            c_files.append(block)
            continue
        elif block.kind in KINDS and (not block.words or
                                      block.kind == "csp fragment"):
            if block.kind in WITH_FILES:
                block.files, files = files, []
            if block.kind == "c":
                block.files = list(c_files)
            tests.append(block)
        else:
            block.wrong = block.wrong or (
                "``` %s: no such kind of block here (tests/README.md)" %
                " ".join([block.kind] + block.words))
            tests.append(block)
        last = block if block.kind in WITH_OUTPUT else None
    for block in files:
        block.wrong = "a file without a program after it"
        tests.append(block)
    return tests


def find(wanted):
    """All blocks that are tests, of the documents whose path is wanted."""
    paths = filter(wanted, ["README.md"] + sorted(glob.glob("docs/*.md")))
    return [b for path in paths for b in join_blocks(read_blocks(path))]


# --- What must come out -------------------------------------------------------
def said_in_comments(text):
    found = []
    for line in text:
        comment = COMMENT.match(line)
        if comment and PRINTS.search(comment.group(1)):
            found.append(comment.group(2))
    return found


def matches(wanted, got):
    """Whether the lines are those, where a line `...` stands for any lines."""
    if not wanted:
        return not got
    if wanted[0].strip() == ANY:
        return any(matches(wanted[1:], got[n:]) for n in range(len(got) + 1))
    return bool(got) and wanted[0] == got[0] and matches(wanted[1:], got[1:])


def compare(wanted, out):
    wanted = [line.rstrip() for line in wanted]
    got = [line.rstrip() for line in out.split("\n")]
    if got[-1] == "":
        got.pop()
    if matches(wanted, got):
        return ""
    return "expected:\n%s\ngot:\n%s" % tuple(
        "\n".join("    | " + line for line in lines) for lines in (wanted, got))


# --- Each kind: what is wrong with the block, or "" ---------------------------
#
# run(command) gives (status or None, stdout, stderr). It runs where the files
# and main.csp are.
def check_program(block, run):
    status, out, err = run(["cspvm", "main.csp"])
    if status != 0 or err:
        return "exit status %s, and on standard error:\n%s" % (status, err)
    wanted = block.output
    if wanted is None:
        wanted = said_in_comments(block.text)
    return compare(wanted, out)


def check_fragment(_, run):
    status, _, err = run(["cspvm", "check", "main.csp"])
    return "" if status == 0 else "it does not compile:\n" + err


def check_error(block, run):
    if block.output is None:
        return "no output block follows, with the message"
    status, out, _ = run(["bash", "-c", "cspvm main.csp 2>&1"])
    if status not in (1, 2):
        return "exit status %s, 1 or 2 expected" % status
    return compare(block.output, out)


def read_commands(text):
    """[(command, its output)] of `$ command` lines, `> ` goes on with one."""
    commands = []
    for line in text:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.startswith("> ") and commands and not commands[-1][1]:
            commands[-1] = (commands[-1][0] + "\n" + line[2:], [])
        elif commands:
            commands[-1][1].append(line)
        else:
            return []
    return commands


def check_console(block, run):
    commands = read_commands(block.text)
    if not commands:
        return "it must begin with a line `$ command`"
    # The commands share a shell, so `$?` and variables live on.
    script = "exec 2>&1\nmark() { local s=$?; echo '%s'; return $s; }\n" % MARK
    for command, _ in commands:
        script += command + "\nmark\n"
    status, out, _ = run(["bash", "-c", script])
    outs = out.split(MARK + "\n")
    if status is None or len(outs) != len(commands) + 1:
        return "it did not run to its end:\n" + out
    for (command, wanted), got in zip(commands, outs):
        while wanted and not wanted[-1]:
            wanted.pop()
        wrong = compare(wanted, got)
        if wrong:
            return "$ %s\n  %s" % (command, wrong)
    return ""


def check_shell(block, _):
    """Commands that cannot run here (they install, build): only read."""
    done = subprocess.run(["bash", "-n"], input="\n".join(block.text), text=True,
                          stderr=subprocess.PIPE)
    return done.stderr


def check_c(block, run):
    """Hosts: built with the library and run."""
    status, out, err = run(["bash", HOST])
    if status != 0 or err:
        return "exit status %s, and on standard error:\n%s" % (status, err)
    return compare(block.output or [], out)


def check_text(*_):
    return ""


KINDS = {"csp": check_program, "csp fragment": check_fragment,
         "csp error": check_error, "console": check_console, "sh": check_shell,
         "c": check_c, "text": check_text,
         "csp native": check_text}  # tests/embed/module_docs.sh runs it
WITH_OUTPUT = {"csp", "csp error", "c", "csp native"}
WITH_FILES = {"csp", "csp fragment", "csp error", "console"}


def write_files(block, folder):
    """Several blocks of one name are parts of that file."""
    for file in block.files:
        path = os.path.join(folder, file.words[0])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as f:
            f.write("\n".join(file.text) + "\n")
    declared = ""
    if block.kind == "csp fragment" and block.words:
        declared = "var %s; " % ", ".join(block.words)
    name = "main.c" if block.kind == "c" else "main.csp"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(declared + "\n".join(block.text) + "\n")


def run_block(block, folder, run):
    """What is wrong with it, as text, or ''."""
    wrong = block.wrong
    if not wrong:
        write_files(block, folder)
        wrong = KINDS[block.kind](block, run)
    return "FAIL %s\n  %s\n" % (block.place(), wrong) if wrong else ""
