#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The grammar in docs/language.md, made of lang/parse/grammar.y: the rules
without their actions, tokens as they are written, and lists in their usual
notation.

    tests/docs/grammar.py             compares the two
    tests/docs/grammar.py --write     puts the grammar into the document"""

import difflib
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(TOP, "docs/language.md")
BEGIN, END = "<!-- grammar: begin -->\n", "<!-- grammar: end -->\n"
WIDTH = 80

# How tokens are written that are no keywords. NEWLINE and SEMI are one thing
# to a reader; FORIN is what the lexer makes of some `for`s.
WRITTEN = {
    "SEMI": ";", "NEWLINE": ";", "LBRACE": "{", "RBRACE": "}", "MAP_BEGIN": "{",
    "MAP_END": "}", "LPAREN": "(", "RPAREN": ")", "LBRACK": "[", "RBRACK": "]",
    "COMMA": ",", "COLON": ":", "DOT": ".", "ELLIPSIS": "...", "QUESTION": "?",
    "ASSIGN": "=", "DEFINE": ":=", "INC": "++", "DEC": "--", "ARROW": "=>",
    "COALESCE": "??", "OR": "||", "AND": "&&", "EQ": "==", "NE": "!=", "LT": "<",
    "LE": "<=", "GT": ">", "GE": ">=", "RANGE": "..", "RANGE_INCL": "..=",
    "ADD": "+", "SUB": "-", "ADDW": "+%", "SUBW": "-%", "BOR": "|", "BXOR": "^",
    "MUL": "*", "DIV": "/", "MOD": "%", "MULW": "*%", "SHL": "<<", "SHR": ">>",
    "BAND": "&", "NOT": "!", "RECV": "<-", "FORIN": "for",
}
OF_LEXER = {"NAME", "INT", "FLOAT", "STR", "STR_HEAD", "STR_MID", "STR_TAIL", "FORMAT"}


def written(token):
    if token in OF_LEXER:
        return token
    for op in "ADD SUB MUL DIV MOD BAND BOR BXOR SHL SHR ADDW SUBW MULW COALESCE".split():
        if token == op + "_SET":
            return '"%s="' % WRITTEN[op]
    text = WRITTEN.get(token, token.lower())
    if token not in WRITTEN and not re.fullmatch(r"[A-Z]+", token):
        sys.exit("tests/docs/grammar.py: WRITTEN lacks the token " + token)
    return '"%s"' % text


def without_code(text):
    """Without comments and what stands in braces."""
    text = re.sub(r"//[^\n]*", "", text)
    out, depth = [], 0
    for c in text:
        depth += c == "{"
        if depth == 0:
            out.append(c)
        depth -= c == "}"
    return "".join(out)


def symbol(word):
    """One symbol of a right side, as `ADD_SET|SUB_SET(O)`, in our notation."""
    names = re.sub(r"\(\w+\)", "", word).split("|")
    texts = []
    for name in names:
        text = name if name[0].islower() else written(name)
        if text not in texts:
            texts.append(text)
    return texts[0] if len(texts) == 1 else "( %s )" % " | ".join(texts)


def read_rules(text):
    """{left side: [right sides]}, lists of symbols, in the file's order."""
    text = re.sub(r"%(syntax_error|stack_overflow|code|include)\s*", "", without_code(text))
    text = re.sub(r"%token_class\s+\w+\s+[^.]*\.", "", text)
    rules = {}
    for left, right in re.findall(r"^(\w+)(?:\(\w\))? ::=([^.]*)\.", text, re.M):
        words = re.sub(r"\s*\|\s*", "|", right).split()
        if "error" in words:
            continue  # how the parser goes on after an error
        words = [symbol(w) for w in words if w != "BEGIN"]
        if words not in rules.setdefault(left, []):
            rules[left].append(words)
    return rules


def in_brackets(sides):
    texts = [" ".join(side) for side in sides]
    return " | ".join(texts)


def shorten(name, sides):
    """Lists as { x } and [ x ]: the right sides of the rule, as lines."""
    again = [side[1:] for side in sides if side[:1] == [name]]
    first = [side for side in sides if side[:1] != [name]]
    if [] in first and again and len(first) == 1:
        return ["{ %s }" % in_brackets(again)]
    if again and len(first) == 1 and len(again) == 1 and again[0][-1:] == first[0]:
        return ["%s { %s }" % (first[0][0], " ".join(again[0]))]
    if [] in sides and not again:
        return ["[ %s ]" % in_brackets([side for side in sides if side])]
    return [" ".join(side) for side in sides]


def layout(name, lines):
    out = []
    for line in lines:
        head = "%-11s %s " % (name if not out else "", "=" if not out else "|")
        while len(head) + len(line) > WIDTH:
            cut = line.rindex(" ", 0, WIDTH - len(head))
            out.append(head + line[:cut])
            head, line = " " * 16, line[cut + 1:]
        out.append(head + line)
    return out


def precedence(text):
    words = {"left": "from the left", "right": "from the right",
             "nonassoc": "do not chain"}
    out = []
    for how, tokens in re.findall(r"^%(left|right|nonassoc) ([^.]*)\.", text, re.M):
        signs = " ".join(written(t).strip('"') for t in tokens.split())
        if "NOT" in tokens.split():
            signs, how = "! - ^ <-", "right"
        out.append("    %-26s %s" % (signs, words[how]))
    return out


def generate():
    with open(os.path.join(TOP, "lang/parse/grammar.y"), encoding="utf-8") as f:
        text = f.read()
    out = []
    for name, sides in read_rules(text).items():
        out += layout(name, shorten(name, sides))
    out += ["", "precedence, low to high:"] + precedence(text)
    return "```text\n%s\n```\n" % "\n".join(out)


def main():
    with open(DOCUMENT, encoding="utf-8") as f:
        document = f.read()
    before, rest = document.split(BEGIN)
    stands, after = rest.split(END)
    grammar = generate()
    if sys.argv[1:] == ["--write"]:
        with open(DOCUMENT, "w", encoding="utf-8") as f:
            f.write(before + BEGIN + grammar + END + after)
    elif stands != grammar:
        sys.stdout.writelines(difflib.unified_diff(
            stands.splitlines(True), grammar.splitlines(True), "docs/language.md",
            "lang/parse/grammar.y"))
        sys.exit("run tests/docs/grammar.py --write, and read what stands around it")
    else:
        print("docs/language.md has the grammar of lang/parse/grammar.y")


main()
