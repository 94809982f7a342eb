#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the comments of sources name exists: files (heap.c), and identifiers.

usage: tests/comments.py FOLDER...

An identifier is a word with an underscore, one that () follows, or one in
backquotes. It exists when some source of the project has it outside of
comments. READMEs of the folders are comments as a whole, but for their words in
backquotes. In other documents only what is in backquotes is checked, files and
words with an underscore, which may also be in a block of the same document. A
heading such as `// --- Tables ---` is one line, which ends with
dashes. The line of the licence has nothing else. Lines of documents have at
most 120 columns, code and rows of tables, too, and a cell of a table 80. "Row
12" is a rule of docs/scheduler-rules.md, which must have it.

A name with a file after it, as in `heap_store (heap.h)`, is in the code of that
file; so is what a line declares whose comment is a file alone, or ends with one
in parentheses.

A sentence has at most one colon or semicolon. That is checked in documents, in
the comments of the sources in READ_ALL, and in the comments and docstrings of
scripts (.py, .sh, and what begins with `#!`), whose lines have at most 80
columns. Code, tables, indented lists, quotations and what programs write into
documents are left out.

The status is 1 when something is wrong. Each such place is a line. Breaches in
scripts and documents that are planted (PLANTED, PLANTED_DOCUMENT) must be
seen."""

import ast
import functools
import io
import os
import re
import subprocess
import sys
import tokenize

# Sources whose comments are checked, and all that has names.
OF_C = (".c", ".h", ".re", ".y", ".def", ".cpp", ".hpp", ".pml")
SOURCES = OF_C + (".py", ".sh", ".csp", ".mk")
# Files whose strings tell what a table's rows mean, for readers alone.
PROSE_IN_STRINGS = ("lang/ast.h",)
FENCE = re.compile(r" {0,3}```")  # of a block; further in it is a part of one
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
FILE = re.compile(r"(?<![\w/.<*$-])((?:\w+/)*\w+\.(?:c|h|def|re|y))\b(?![*(])")
UNDERSCORED = re.compile(r"(?<![\w.*/$-])([a-zA-Z]\w*_\w*[a-zA-Z0-9])\b(?![*./{])")
CALLED = re.compile(r"(?<![\w.`/])([a-z_]\w*)\(\)")
QUOTED = re.compile(r"`([A-Za-z]\w*)(?:\(\))?`")
# A name and its file, what a line declares, and a file that its comment gives
# to that.
PLACED = re.compile(r"(?<![\w.`/>-])`?([A-Za-z]\w*)(\(\))?`?,? \(([\w/]+\.(?:c|h|def|re|y))\)")
IS_NAME = re.compile(r"_|[a-z][A-Z]|^[A-Z][a-z]+$")
DECLARED = re.compile(r"\b([A-Z]\w*[a-z]\w*)\b|\b(\w+)(?:\[[^]]*\]|\))*\s*(?:[;,=({]|$)")
PLACE = re.compile(r"^// (?:.*\((?:.*[ ,])?)?((?:\w+/)*\w+\.(?:c|h|def|re|y))\)?$")
PREFIX = re.compile(r"\b([A-Z]+_)\.\.\.")
ROWS = re.compile(r"\b[Rr]ows? (\d+[a-d]?(?:(?:-|, | and )\d+[a-d]?)*)")
RULE = re.compile(r"^- \*\*(\d+[a-d]?)\. ", re.M)
RULES, RULES_MAP = "docs/scheduler-rules.md", "sched/README.md"
CELL_END = re.compile(r"(?<!\\)\|")
LICENCE = re.compile(r"^\W*SPDX-License-Identifier: MIT (\w.*)$", re.M)
BROKEN_HEADING = re.compile(r"^// (?:--- .*[^-\n]|-{10,}.*)$", re.M)
# Of libc, lemon, spin, compilers and the system, of documents, and of the
# language itself.
OTHERS = {"callgrind_annotate", "asan_interface.h", "lempar.c", "string", "error", "len", "main", "cmocka.h",
          "seq_cst", "epoll_pwait2", "test_NAME.c", "pan.c", "host.h"}

# Of programs of others, and of what is said about names, in documents.
OTHERS_IN_DOCUMENTS = {"lua_Alloc", "RTLD_GLOBAL", "statement_timeout", "snake_case", "UPPER_CASE",
                       "client_connection_check_interval", "log_calls", "csp_module_words"}
IN_DOCUMENT = re.compile(r"(?<![\w./$<-])([A-Za-z]\w*_\w*[A-Za-z0-9])(?![\w*./{<])")

# Folders whose comments are checked for sentences, and documents that are not.
READ_ALL = ("sched", "vm", "lang", "cli", "stdlib", "bench", "examples", "tests")
NOT_YET = ("tests/docs/data/",)
NO_PROSE = re.compile(r"\w*::\w+|`+[^`]*`+|\"[^\"]*\"|\]\([^)]*\)|https?://\S+|(?<=\d):(?=\d)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][)\"*])\s+")


def listed():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [path for path in out.splitlines() if os.path.isfile(path)]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def is_prose(match, path):
    return match.group().startswith("/") or path in PROSE_IN_STRINGS


def comments(text, path):
    """(offset, comment) of each, and of the rest nothing."""
    for match in COMMENT.finditer(text):
        if is_prose(match, path):
            yield match.start(), match.group()


def code_of(path):
    """The text without comments."""
    text = read(path)
    if is_script(path):
        return without_notes(path, text)
    if not path.endswith(OF_C):
        return text
    return COMMENT.sub(lambda m: " " if is_prose(m, path) else m.group(), text)


@functools.lru_cache(None)
def words_in(path):
    return set(re.findall(r"\w+", code_of(path)))


def misplaced(path, paths):
    """(line, name, file) of each name that its comment looks for in a file that
    does not have it."""
    def has(name, file):
        found = [p for p in paths if p == file or p.endswith("/" + file)]
        return not found or any(name in words_in(p) or name[-1] == "_" and any(
            word.startswith(name) for word in words_in(p)) for p in found)

    text = read(path)
    flat = re.sub(r"\n( *//)", lambda m: " " + " " * len(m.group(1)), text)
    for match in PLACED.finditer(re.sub(r" {2,}", " ", flat)):
        name, call, file = match.groups()
        if (call or IS_NAME.search(name)) and not has(name, file):
            yield 1 + text.count("\n", 0, text.find(name)), name, file
    for number, line in enumerate(text.splitlines(), 1):
        at = line.find("//")
        place = at > 0 and PLACE.match(line[at:])
        code = line[:at].rstrip()
        if not place or not code.strip() or code.count('"') % 2 or " (see " in line:
            continue
        names = [a or b for a, b in DECLARED.findall(code)] + PREFIX.findall(line[at:])
        if names and not any(has(name, place.group(1)) for name in names):
            yield number, names[-1], place.group(1)


def words_of_code(paths):
    words = {name for path in paths  # tests, by their names
             for name in (os.path.basename(path)[:-2], os.path.basename(path)[5:-2])
             if path.startswith("tests/unit/test_")}
    for path in paths:
        if not path.endswith(SOURCES) and os.path.splitext(path)[1]:
            continue
        words |= words_in(path)
    return words


def missing(text, files, words):
    for name in FILE.findall(text):
        if name not in OTHERS and os.path.basename(name) not in OTHERS and \
                not any(path == name or path.endswith("/" + name) for path in files):
            yield name
    for name in UNDERSCORED.findall(text) + CALLED.findall(text):
        if name not in words and name not in OTHERS:
            yield name


def rows_without_rule(text, rules):
    for match in ROWS.finditer(text):
        for row in re.findall(r"\d+[a-d]?", match.group(1)):
            if row not in rules:
                yield match, row


def wrong_rows(paths):
    """Rows that are cited and no rules; rules in one of the two lists only."""
    rules, mapped = RULE.findall(read(RULES)), RULE.findall(read(RULES_MAP))
    if rules != mapped:
        yield "comments: %s and %s list different rules: %s" % (
            RULES, RULES_MAP, ", ".join(sorted(set(rules) ^ set(mapped))) or "other order")
    for path in paths:
        if not path.startswith(("sched/", "vm/", "tests/", "bench/sched/")) or \
                not path.endswith((".c", ".h", ".cpp", ".pml", ".py", ".md")):
            continue
        text = read(path)
        for match, row in rows_without_rule(text, rules):
            yield "comments: %s:%d cites row %s, which %s does not have" % (
                path, text.count("\n", 0, match.start()) + 1, row, RULES)


def too_long(path):
    """Lines of a document that are, code and all, and cells of its tables."""
    code = False
    for number, line in enumerate(read(path).splitlines(), 1):
        code ^= bool(FENCE.match(line))
        if len(line) > 120:
            yield "comments: %s:%d has %d columns" % (path, number, len(line))
        cells = CELL_END.split(line) if line.startswith("|") and not code else []
        if any(len(cell.strip()) > 80 for cell in cells):
            yield "comments: %s:%d has a cell of over 80 columns" % (path, number)


def comment_lines(text):
    """(line, text) of each comment line. The text is None where a paragraph
    ends."""
    column = 0
    for number, line in enumerate(text.splitlines(), 1):
        whole = line.lstrip().startswith("//")
        before, at = column, line.find("//")
        column = at
        body = line[at + 2:] if at >= 0 and line.count('"', 0, at) % 2 == 0 else ""
        ends = not body.strip() or body.startswith(("  ", " ---")) or "SPDX" in body
        if not whole or ends or at != before:
            yield number, None
        if not ends:
            yield number, body.strip()


# What stands in the comments of scripts for programs.
DIRECTIVE = re.compile(r"!|:|(?:expect|args|stdin|env|procs|repeat|once|timeout|small|short|long|needs|skip"
                       r"|shellcheck|noqa|pylint|type)\b[^.]*:|noqa|pylint")
SCRIPT_COLUMNS = 80
MADE = re.compile(r"build/|[A-Z]+[/_]")  # or a word for one, as NAME_tail
BRACES = re.compile(r"\{[^{}]*\}")


def is_python(path, text):
    return path.endswith(".py") or re.match(r"#!.*python", text) is not None


def is_script(path):
    return path.endswith((".py", ".sh")) or \
        not os.path.splitext(path)[1] and read(path).startswith("#!")


def python_notes(text):
    """(line, column, text) of each line of a comment or docstring."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.start[1], token.string[1:]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and \
                ast.get_docstring(node) is not None:
            string = node.body[0].value
            margin = string.col_offset
            for i, line in enumerate(text.split("\n")[string.lineno - 1:string.end_lineno]):
                yield string.lineno + i, margin, " " + (
                    line[margin:].replace('"""', "").rstrip("\\"))
            yield string.end_lineno, -1, ""


def shell_notes(text):
    """The same of a shell's comments. What follows `<< 'END'` is another
    text."""
    end = None
    for number, line in enumerate(text.split("\n"), 1):
        if end is not None:
            end = None if line.strip() == end else end
            continue
        found = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", line)
        if found and not line.lstrip().startswith("#"):
            end = found.group(1)
        at = re.search(r"(?:^|(?<=\s))#(?!\w*[)}\"'])", line)
        before = line[:at.start()] if at else ""
        if at and before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            yield number, at.start(), line[at.end():]


def script_notes(path, text):
    return (python_notes if is_python(path, text) else shell_notes)(text)


def without_notes(path, text):
    lines = text.split("\n")
    for number, at, body in script_notes(path, text):
        if body:
            lines[number - 1] = lines[number - 1].replace(body, " ")
    return "\n".join(lines)


def script_lines(path, text):
    """As comment_lines, of a script. What is in braces is a notation."""
    lines, before, column = text.split("\n"), 0, 0
    for number, at, body in script_notes(path, text):
        for _ in range(3):
            body = BRACES.sub("_", body)
        body = body[1:] if body.startswith(" ") else body
        whole = not lines[number - 1][:max(at, 0)].strip()
        ends = not body.strip() or body.startswith("  ") or "SPDX" in body or \
            DIRECTIVE.match(body)
        if ends or not whole or number != before + 1 or at != column:
            yield number, None
        before, column = number, at
        if not ends:
            yield number, body.strip()


def long_notes(path, text):
    """(line, columns) of comment lines of a script that are too long."""
    lines = text.split("\n")
    for number, at, body in script_notes(path, text):
        line = lines[number - 1]
        if len(line) > SCRIPT_COLUMNS and not line[:max(at, 0)].strip() and \
                len(body.split()) > 1 and not DIRECTIVE.match(body.strip()):
            yield number, len(line)


def document_lines(text):
    """The same of a document."""
    code = made = paragraph = False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= bool(FENCE.match(line))
        if line.startswith("<!--"):
            made = "end" not in line.split()
        paragraph = not (code or made or not line.strip() or
                         line.startswith("    ") and not paragraph or
                         line.lstrip().startswith(("#", "|", "```")))
        if not paragraph or re.match(r"\s*([-*]|\d+\.) ", line):
            yield number, None
        if paragraph:
            yield number, line.strip()


def crowded(lines):
    """(line, sentence) of each that has more than one colon or semicolon."""
    paragraph, begin = "", 0
    for number, line in list(lines) + [(0, None)]:
        if line is not None:
            begin = begin if paragraph else number
            paragraph += line + " "
            continue
        for sentence in SENTENCE_END.split(NO_PROSE.sub("_", paragraph)):
            if sentence.count(":") + sentence.count(";") > 1:
                yield begin, sentence.strip()
        paragraph = ""


def lines_of_prose(path):
    if path.endswith(".md"):
        return [] if path.startswith(NOT_YET) else document_lines(read(path))
    if is_script(path):
        return script_lines(path, read(path))
    if path.split("/")[0] not in READ_ALL or \
            not path.endswith(OF_C) or path.endswith(".pml"):  # with tables
        return []
    return comment_lines(read(path))


def wrong_in_script(path, text, files, words):
    """What is wrong with its comments, beside their sentences."""
    for number, columns in long_notes(path, text):
        yield "comments: %s:%d has %d columns" % (path, number, columns)
    for number, _, body in script_notes(path, text):
        names = () if DIRECTIVE.match(body.strip()) else missing(body, files, words)
        for name in names:
            if not MADE.match(name):
                yield "comments: %s:%d names %s, which does not exist" % (
                    path, number, name)


def wrong_in_document(path, text, files, words):
    """What is wrong with the names in backquotes of a document that is no
    README."""
    prose, code, blocks = [], False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            code = not code
        elif code:
            blocks += line + "\n"
        else:
            prose += [(number, quoted) for quoted in re.findall(r"`([^`]+)`", line)]
    words = words | OTHERS_IN_DOCUMENTS | set(re.findall(r"\w+", blocks))
    for number, quoted in prose:
        names = [name for name in IN_DOCUMENT.findall(quoted) if name not in words]
        names += [name for name in missing(quoted, files, words) if FILE.fullmatch(name)]
        for name in names:
            if "NAME" not in name and not name.startswith("build/"):
                yield "comments: %s:%d names %s, which does not exist" % (path, number, name)


# Each is found in a script.
PLANTED = (
    ("a.py", '"""One: two; three."""\n'),
    ("a.py", "def f():\n    # one: two\n    # three; four\n    pass\n"),
    ("a.py", "x = 1  # one; two; three\n"),
    ("a.sh", "# One: two,\n# and three; four.\n"),
    ("a.sh", "cat << END\n# text: text; text\nEND\n# one: two; three\n"),
    ("a", "#!/bin/sh\n# one; two; three\n"),
    ("a.py", "# one" + " two" * 20 + "\n"),
    ("a.sh", "# It is in no_such_file.c, not here.\n"),
    ("a.sh", "# It calls no_such_" "function in vain.\n"),  # no word of this file
)


# (a document, whether something is wrong)
PLANTED_DOCUMENT = (
    ("It is `a_name` in `a.py`, and `text_NAME`.\n", False),
    ("It is `no_such_" "function(x)`.\n", True),
    ("It is in `no_such_file.c`.\n", True),
    ("It is `its_own(x)`.\n\n```\nfunc its_own(x) {}\n```\n", False),
)


def unseen():
    for text, is_wrong in PLANTED_DOCUMENT:
        if bool(list(wrong_in_document("a.md", text, {"a.py"}, {"a_name"}))) != is_wrong:
            yield "comments: in this document something else is wrong: %r" % text
    for path, text in PLANTED:
        if not list(crowded(script_lines(path, text))) and \
                not list(wrong_in_script(path, text, {"a.py"}, {"a_name"})):
            yield "comments: a planted breach is not seen: %r" % text


def main():
    paths = listed()
    files = set(paths) | {"lang/parse/grammar.c", "lang/parse/grammar.h", "lang/parse/lexer.c",
                          "stdlib/http_head.c"}
    words = words_of_code(paths)
    wrong = 0
    for message in list(unseen()) + list(wrong_rows(paths)):
        print(message, file=sys.stderr)
        wrong = 1
    for path in paths:
        if path.endswith(".md"):
            messages = list(too_long(path))
            if "/" not in path or path.startswith("docs/"):
                messages += wrong_in_document(path, read(path), files, words)
            for message in messages:
                print(message, file=sys.stderr)
                wrong = 1
        if is_script(path):
            for message in wrong_in_script(path, read(path), files, words):
                print(message, file=sys.stderr)
                wrong = 1
        for match in LICENCE.finditer(read(path)):
            print("comments: %s has more on the line of its licence: %s" %
                  (path, match.group(1)), file=sys.stderr)
            wrong = 1
        for line, sentence in crowded(lines_of_prose(path)):
            print("comments: %s:%d has several colons in a sentence: %s" %
                  (path, line, sentence),
                  file=sys.stderr)
            wrong = 1
    for path in paths:
        folder = next((f for f in sys.argv[1:] if path.startswith(f + "/")), None)
        if folder is None or not path.endswith(OF_C + (".csp", "README.md")):
            continue
        text = read(path)
        document = path.endswith(".md")
        for line, name, file in misplaced(path, paths):
            print("comments: %s:%d looks for %s in %s, which does not have it" %
                  (path, line, name, file), file=sys.stderr)
            wrong = 1
        for match in () if document else BROKEN_HEADING.finditer(text):
            print("comments: %s:%d is no heading in one line" %
                  (path, text.count("\n", 0, match.start()) + 1), file=sys.stderr)
            wrong = 1
        for at, part in [(0, text)] if document else comments(text, path):
            quoted = () if document else QUOTED.findall(part)
            names = list(missing(part, files, words))
            for name in names + [q for q in quoted if q not in words]:
                line = text.count("\n", 0, at + part.find(name)) + 1
                print("comments: %s:%d names %s, which does not exist" %
                      (path, line, name), file=sys.stderr)
                wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
