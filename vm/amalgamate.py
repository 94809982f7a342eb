#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the whole library as one C file, for hosts that compile it themselves.

usage: vm/amalgamate.py --out DIR [-I DIR]... SOURCE...

DIR/cspvm.c holds the sources, with the headers of the project where they are
included first, and DIR/csp.h is beside it. All that csp.h does not declare
becomes static there, so that a host meets no other name. An array without a
length cannot be declared as static: the source that defines it comes before
those that use it.

All sources are one translation unit then. Two that give one name to two things
are an error that names both."""

import argparse
import os
import re
import shutil
import sys

PUBLIC = "vm/csp.h"
# Only the project's own builds define these: names that stand between them and
# #else are no others than those after it.
NEVER = {"CSP_DEBUG", "RT_EXPLORE", "RT_COUNT_LOCKED"}
GUARD = re.compile(r"^#ifndef (CSP_\w+_H)\n#define \1$", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#include "([^"]*)".*\n', re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
UNDEF = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<line>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<other>.)""", re.VERBOSE | re.DOTALL | re.MULTILINE)

HEAD = """\
/* cspvm {version}: the language CSP and its virtual machine, in one file.
 *
 *   cc -std=c11 -O2 -c cspvm.c -pthread
 *
 * makes the library of it, with gcc 12 or clang 19 and no other flag. A host
 * includes csp.h, which belongs beside this file, and links with cspvm.o, -lm
 * and -pthread. It meets the functions of csp.h and no other name.
 *
 * Made by `make amalgamation` from the sources of cspvm: change those instead.
 *
{licence}
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
// Floats are rounded after each operation, whatever the processor can do. gcc
// heeds only its own pragma; with -std=c11 it contracts nothing anyway.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#elif !defined(__STRICT_ANSI__)
#pragma GCC optimize("fp-contract=off")
#endif
// Some functions are for the program cspvm and the tests only; the generated
// parser has parameters and variables that it does not use.
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
"""


def fail(message):
    sys.exit(f"amalgamate: {message}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_once(path, text):
    """Whether a file counts only where it is included first. Others (tables,
    handlers) are parts of the sources that include them."""
    return path.endswith((".c", "/grammar.h")) or GUARD.search(text) is not None


def is_word(text):
    return re.match(r"[A-Za-z_]", text) is not None


# --- Declarations ------------------------------------------------------------
class Declaration:
    """What stands at the top level, up to a semicolon or a function's end."""

    def __init__(self, at):
        self.at = at      # where it begins in the text
        self.end = at
        self.words = []   # outside of braces, before a value, without attributes
        self.body = []    # inside of braces, before a value
        self.skips = 0    # parentheses of an attribute that are open, or -1: its name
        self.value = False

    def add(self, text, depth):
        """The next word, `depth` braces deep."""
        if self.value:
            return
        if depth > 0:
            self.body.append(text)
        elif text in ("__attribute__", "_Alignas"):
            self.skips = -1
        elif self.skips != 0:
            self.skips = max(self.skips, 0) + {"(": 1, ")": -1}.get(text, 0)
        elif text == "=":
            self.value = True
        else:
            self.words.append(text)

    def is_type(self):
        return self.words[0] == "typedef" or (
            self.words[0] in ("struct", "union", "enum") and
            "(" not in self.words and
            (self.body != [] or len(self.words) < 3))

    def function(self):
        """The name of the function it declares, or None. A single word before
        the parenthesis is the use of a macro."""
        at = self.words.index("(") if "(" in self.words else 0
        return self.words[at - 1] if at > 1 and not self.is_type() else None

    def variable(self):
        if self.is_type() or "(" in self.words or not is_word(self.words[0]):
            return None
        bracket = self.words.index("[") if "[" in self.words else None
        return [w for w in self.words[:bracket] if is_word(w)][-1]

    def defines(self):
        """Names for things, and (with their keyword) tags."""
        if self.is_type():
            yield from self.types()
        elif self.function() and (self.body or "static" in self.words):
            yield self.function()
        elif self.variable() and "extern" not in self.words:
            yield self.variable()

    def types(self):
        for keyword in ("struct", "union", "enum"):
            if self.body and keyword in self.words:
                tag = self.words[self.words.index(keyword) + 1:][:1]
                yield from (f"{keyword} {t}" for t in tag if is_word(t))
        if self.words[0] == "typedef":
            pointer = "".join(self.words).find("(*") >= 0
            at = self.words.index("*") + 1 if pointer else -1
            yield [w for w in self.words if is_word(w)][-1] if at < 0 \
                else self.words[at]
        if "enum" in self.words:
            yield from enumerators(self.body)


def enumerators(body):
    """The words after the brace and each comma of an enum."""
    depth, expected = 0, False
    for word in body:
        if expected and is_word(word):
            yield word
        depth += {"(": 1, ")": -1}.get(word, 0)
        expected = depth == 0 and word in ("{", ",")


def declarations(text):
    """All of a text's top level, in its order."""
    current, braces = None, 0
    for token in TOKEN.finditer(text):
        word = token[0]
        if token.lastgroup in ("space", "line"):
            continue
        if current is None:
            current = Declaration(token.start())
        braces -= word == "}"
        if word not in "{};":
            current.add(word, braces)
        elif word == "{" and braces == 0 and not current.value:
            current.body.append("{")
        braces += word == "{"
        ends = word == ";" or (word == "}" and not current.value and
                               (current.words[-1:] == [")"]))
        if ends and braces == 0:
            current.end = token.end()
            if current.words:
                yield current
            current = None


# --- One name, one thing -----------------------------------------------------
def usual(text, defined):
    """The text as the usual build sees it: without what stands between #ifdef
    and a name of NEVER, or #ifndef and a name that is defined."""
    out, stack = [], []
    for line in text.split("\n"):
        found = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(\w*)",
                         line)
        kind = found[1] if found else ""
        if kind.startswith("if"):
            stack.append(found[2] in {"ifdef": NEVER, "ifndef": defined}.get(
                kind, ()))
        elif kind.startswith("el"):
            stack[-1] = False
        elif kind == "endif":
            stack.pop()
        out.append("" if True in stack and not kind else line)
    return "\n".join(out)


def macros_left(text):
    """The macros that are defined at the end of a text."""
    undefined = UNDEF.findall(text)
    return {name for name in DEFINE.findall(text) if name not in undefined}


def words_of(text):
    """The words of code and of the preprocessor's lines, but for those in
    literals, which are no names."""
    words = {token[0] for token in TOKEN.finditer(text) if token.lastgroup == "word"}
    for line in re.findall(r"^\s*#.*(?:\\\n.*)*", text, re.M):
        words.update(re.findall(r"\w+", LITERAL.sub(" ", line)))
    return words


class Names:
    """Which file has given which name to something."""

    def __init__(self):
        self.owner, self.wrong, self.local, self.words = {}, [], {}, {}

    def add(self, path, text):
        text = usual(text, self.owner)
        guard = GUARD.search(text)
        macros = macros_left(text) - {guard and guard[1]}
        self.words[path] = words_of(text)
        if path.endswith(".c") or not is_once(path, text):
            self.local.update((name, path) for name in macros)
        names = {name for d in declarations(text) for name in d.defines()} \
            if is_once(path, text) else set()
        for name in sorted(names | macros):
            other = self.owner.setdefault(name, path)
            if other != path:
                self.wrong.append((name, other, path))

    def check(self, parts):
        """parts: which file is a part of which other."""
        for name, path in sorted(self.local.items()):
            for other, words in sorted(self.words.items()):
                related = path == other or parts.get(other) == path or \
                    parts.get(path) == other or \
                    parts.get(path, path) == parts.get(other, other)
                if name in words and not related:
                    self.wrong.append((name, f"the macro in {path}", other))
        for name, one, other in self.wrong:
            print(f"amalgamate: `{name}` stands for two things, in {one} and "
                  f"in {other}", file=sys.stderr)
        if self.wrong:
            fail("all sources of the library are one file for some hosts: give "
                 "each thing a name that tells what it is in its file, and end "
                 "a source that leaves macros with #undef")


# --- The file ----------------------------------------------------------------
class Amalgamation:
    def __init__(self, folders):
        self.folders = folders
        self.names = Names()
        self.done, self.parts = set(), {}
        self.public = set(re.findall(r"\b(csp_\w+)\(", read(PUBLIC)))
        self.unsized = set()  # arrays that are declared without a length

    def find(self, name, beside):
        for folder in (os.path.dirname(beside), *self.folders):
            path = os.path.relpath(os.path.join(folder, name))
            if os.path.exists(path):
                return path
        return fail(f"{beside} includes {name}, which is in none of "
                    f"{', '.join(self.folders)}")

    def is_private(self, name):
        return name not in self.public and not name.startswith("__")

    def make_static(self, text):
        """The text with all its declarations static, but for those of csp.h."""
        out, at = [], 0
        static = {"static", "_Static_assert",
                  *re.findall(r"#define (\w+) static\b", text)}
        for d in declarations(text):
            name = d.function() or d.variable()
            if name is None or static & set(d.words) or \
                    not self.is_private(name):
                continue
            out.append(text[at:d.at])
            at = d.at
            if d.words[0] == "extern":
                at += len("extern ")
                if d.words[-2:] == ["[", "]"]:
                    self.unsized.add(name)
                    at = d.end
                    continue
            out.append("static ")
        return "".join(out) + text[at:]

    def expand(self, path, within):
        """The text of a file, and of all that it includes."""
        text = read(path)
        self.done.add(path)
        if path not in self.names.words:
            self.names.add(path, text)
            if within is not None and not is_once(path, text):
                self.parts[path] = within

        def included(found):
            if found[1] == "sched/rt_explore.h":
                return "#error only the tests of the sources have RT_EXPLORE\n"
            part = self.find(found[1], path)
            if part == PUBLIC:
                return '#include "csp.h"\n'
            if part in self.done and is_once(part, read(part)):
                return ""
            return (self.expand(part, path) + f"/* --- {path}, after {part} "
                    "--- */\n")

        if is_once(path, text):
            text = self.make_static(text)
        return f"/* --- {path} --- */\n" + INCLUDE.sub(included, text)

    def sources(self, paths):
        """The text of all sources."""
        paths = list(paths)
        for path in paths:
            self.expand(path, None)
        self.names.check(self.parts)
        paths = self.in_order(paths)
        self.done = set()
        return "\n".join(self.expand(path, None) for path in paths)

    def in_order(self, paths):
        """Sources that define an unsized array come before those that use
        it."""
        defines = {path: self.unsized & {name for d in declarations(read(path))
                                         for name in d.defines()}
                   for path in paths}
        uses = {path: self.names.words[path] & self.unsized for path in paths}
        ordered, left = [], list(paths)
        while left:
            waiting = set().union(*(defines[path] for path in left))
            ready = [path for path in left
                     if not uses[path] & waiting - defines[path]]
            if not ready:
                fail(f"no order of {', '.join(left)} has each array without a "
                     "length before its uses: declare the lengths")
            ordered.append(ready[0])
            left.remove(ready[0])
        return ordered


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("-I", dest="folders", action="append", default=["."])
    parser.add_argument("source", nargs="+")
    args = parser.parse_args()
    version = re.search(r'#define CSP_VERSION "(.*)"', read(PUBLIC))[1]
    licence = "\n".join(f" * {line}".rstrip()
                        for line in read("LICENSE").strip().split("\n"))
    text = HEAD.format(version=version, licence=licence) + \
        Amalgamation(args.folders).sources(map(os.path.relpath, args.source))
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(args.out, "cspvm.c"), "w", encoding="utf-8") as file:
        file.write(text)
    shutil.copy(PUBLIC, os.path.join(args.out, "csp.h"))


if __name__ == "__main__":
    main()
