# SPDX-License-Identifier: MIT
"""Regexp beside an oracle, RE2 or PCRE2: what each finds in the same texts.

    oracle.py make KIND SEED COUNT                   patterns and their texts
    oracle.py compare KIND CASES THEIRS OURS         says where they differ

A line of `make` is `ours theirs text text ...`, each in hexadecimal with a
point before it. Both patterns mean the same, in the syntax of regexp and of the
oracle. The kinds are

    re2     random patterns of all that RE2 knows
    pcre2   the same for PCRE2, where no part that may match nothing repeats
            (PCRE2 tries one such turn more)
    wild    signs in any order for RE2, most of which are no pattern
    small   all patterns of up to COUNT parts, on all short texts of two letters

DIFFERENCES tells what may differ."""
import itertools
import random
import re
import sys

LETTERS = "abAB01_ -\n\té中😀kKſ\u212aσςΣǅ"
FEW = ("ab", "ab\n", "aB0 ", "é中a", "kK\u212asSſ", "a_-b ")
UNICODE = ("L", "Lu", "Ll", "N", "Nd", "P", "Zs", "Han", "Latin", "Greek")
ASCII = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split()
OPERATORS = (("*", 1), ("+", 0), ("?", 1), ("{2}", 0), ("{0,2}", 1), ("{1,}", 0), ("{1,3}", 0), ("{0}", 1), ("{3,4}", 0))
# What may differ: in the pattern, in the text, why.
RE2_DIFFERS = (
    (r"\\B", r"[^\0-\x7f]", "RE2's \\B holds between the bytes of one character, too"),
    (r"\*\)+\+\?", r"", "RE2 makes (x*)+? a greedy (x*)*, which tells where x may be empty; Go does not"),
    (r"\(\?[imsU]*(-[imsU]+)?\)[*+?{]", r"", "RE2 repeats what is before (?i)*, which is an error here"),
    (r"\\Q\\E[*+?{]", r"", "RE2 repeats what is before \\Q\\E*, once more if that repeats"),
    (r"\(\?<", r"", "RE2 of 2022 has no (?<name>)"))
PCRE2_DIFFERS = (
    (r"\(\?[msU]*i", "[\u017f\u212a]", "with (?i) PCRE2's \\w and [[:alpha:]] have no letters beside ASCII"),
    (r"\(\?[msU]*i(.|\n)*\\[pP]{L[ul]}", "", "with (?i) PCRE2's \\p{Lu} still has upper case alone"),
    (r"\[([^]]|:\])*(\\[DWSP]|\[:\^)", "[^\0-\xff]", "above U+00FF PCRE2 forgets what [^\\W] and [\\D[:word:]] say"))
DIFFERENCES = {"re2": RE2_DIFFERS, "wild": RE2_DIFFERS, "small": RE2_DIFFERS, "pcre2": PCRE2_DIFFERS}
# \s of PCRE2 has \v, too.
PCRE2_HAS = {r"\s": r"[\t\n\f\r ]", r"\S": r"[^\t\n\f\r ]"}
TOKENS = ["a", "b", "(", ")", "[", "]", "[^", "|", "*", "+", "?", "{", "}", ",", "1", "2", "-", "^", "$", ".", "\\",
          "\\d", "\\b", "\\Q", "\\E", "\\pL", "\\p{Lu}", "\\x41", "\\x{e9}", "(?:", "(?i)", "(?P<n>", "(?s-m:", "{2}",
          "{1,3}", "[:alpha:]", "[a-", "é", "\n", "(?", ":", "\\A", "\\z", "\\0", "\\8", "\\_", "\\-", "\\w"]


class Maker:
    """One random pattern. `deep` is how many groups may still be in it."""

    def __init__(self, oracle):
        self.oracle, self.names = oracle, 0

    def both(self, text):
        return text, text

    def literal(self):
        char = random.choice(LETTERS)
        forms = [char if char not in "-" else "\\-"]
        if char not in "\n\t":
            forms += ["\\Q%s\\E" % char]
        forms += ["\\x{%x}" % ord(char)]
        if ord(char) < 128:
            forms += ["\\x%02x" % ord(char)]
        return self.both(random.choice(forms)), 1

    def class_item(self):
        kind = random.randrange(6)
        if kind == 0:
            return self.both("[:%s%s:]" % (random.choice(["", "^"]), random.choice(ASCII)))
        if kind == 1:
            return self.unicode_class()
        if kind == 2:
            return self.both(random.choice([r"\d", r"\w", r"\D", r"\W"]))
        low, high = sorted(random.choice("abAB01_éz中😀kσ") for _ in range(2))
        return self.both(low + "-" + high if kind == 3 else low)

    def unicode_class(self):
        name = random.choice(UNICODE)
        sign = random.choice("pP")
        if len(name) > 2 and self.oracle == "pcre2":  # else it has characters of several scripts, too
            return "\\%s{%s}" % (sign, name), "\\%s{sc:%s}" % (sign, name)
        return self.both("\\%s{%s}" % (sign, name) if len(name) > 1 else "\\" + sign + name)

    def char_class(self):
        kind = random.randrange(6)
        if kind == 0:
            text = random.choice([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
            return (text, PCRE2_HAS.get(text, text) if self.oracle == "pcre2" else text), 1
        if kind == 1:
            return self.unicode_class(), 1
        if kind == 2:
            return self.both("."), 1
        items = [self.class_item() for _ in range(random.randrange(1, 4))]
        head = "[" + random.choice(["", "^"])
        return (head + "".join(i[0] for i in items) + "]", head + "".join(i[1] for i in items) + "]"), 1

    def assertion(self):
        return self.both(random.choice(["^", "$", r"\A", r"\z", r"\b", r"\B", "(?m:^)", "(?m:$)"])), 0

    def group(self, deep):
        ours = theirs = random.choice(["(", "(", "(?:", "(?i:", "(?s:", "(?m:", "(?U:", "(?is-m:", "(?-s:", "(?i-U:"])
        if random.randrange(6) == 0:
            self.names += 1
            ours = theirs = "(?P<n%d>" % self.names
            if random.randrange(2):
                ours = ours.replace("P", "")
        inner, least = self.alternatives(deep - 1)
        flags = random.choice(["", "", "", "(?i)", "(?s)", "(?U)", "(?m)", "(?-i)"])
        return (ours + flags + inner[0] + ")", theirs + flags + inner[1] + ")"), least

    def atom(self, deep):
        kind = random.randrange(12)
        if kind < 4:
            return self.literal()
        if kind < 7:
            return self.char_class()
        if kind == 7:
            return self.assertion()
        return self.group(deep) if deep else self.literal()

    def repeated(self, deep):
        (ours, theirs), least = self.atom(deep)
        if random.randrange(3) or (least == 0 and self.oracle == "pcre2"):
            return (ours, theirs), least
        operator, none = random.choice(OPERATORS)
        operator += random.choice(["", "?"])
        return (ours + operator, theirs + operator), 0 if none else least

    def sequence(self, deep):
        count = random.choice([0, 1, 1, 1, 1, 2, 2, 3, 4])
        parts = [self.repeated(deep) for _ in range(count)]
        return ("".join(p[0][0] for p in parts), "".join(p[0][1] for p in parts)), sum(p[1] for p in parts)

    def alternatives(self, deep):
        parts = [self.sequence(deep) for _ in range(random.choice([1, 1, 1, 2, 3]))]
        return ("|".join(p[0][0] for p in parts), "|".join(p[0][1] for p in parts)), min(p[1] for p in parts)


def random_text():
    letters = random.choice((LETTERS, *FEW))
    return "".join(random.choice(letters) for _ in range(random.choice([0, 1, 2, 5, 9, 20, 60])))


def small_patterns(most):
    """All patterns of 1 to `most` parts: an atom or an operator is one."""
    by_size = [[], [(p, 3) for p in ("a", "b", ".", "^", "$", "\\b", "\\B", "[^a]", "()")]]
    for size in range(2, most + 1):
        made = []
        for pattern, rank in by_size[size - 1]:
            inner = pattern if rank == 3 else "(?:" + pattern + ")"
            made += [(inner + operator, 2) for operator in ("*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}?")]
            made += [("(" + pattern + ")", 3)]
        for left in range(1, size - 1):
            for (a, rank), (b, other) in itertools.product(by_size[left], by_size[size - 1 - left]):
                joined = (a if rank > 0 else "(?:" + a + ")") + (b if other > 0 else "(?:" + b + ")")
                made += [(joined, 1), (a + "|" + b, 0)]
        by_size.append(made)
    return [pattern for made in by_size for pattern, _ in made]


def cases(kind, count):
    if kind == "small":
        texts = ["".join(t) for n in range(5) for t in itertools.product("ab", repeat=n)]
        for pattern in small_patterns(count):
            yield pattern, pattern, texts
        return
    for _ in range(count):
        if kind == "wild":
            pattern = "".join(random.choice(TOKENS) for _ in range(random.randrange(1, 8)))
            yield pattern, pattern, [random_text() for _ in range(2)]
            continue
        (ours, theirs), _ = Maker(kind).alternatives(3)
        yield ours, theirs, [random_text() for _ in range(5)]


def of_hex(field):
    return bytes.fromhex(field[1:]).decode()


def compare(kind, lines, theirs, ours):
    """Prints what differs, and last how much was compared."""
    def is_known(pattern, text):
        return any(re.search(p, pattern) and re.search(t, text) for p, t, _ in DIFFERENCES[kind])
    patterns = texts = 0
    for line, theirs_found, ours_found in zip(lines, theirs, ours, strict=True):
        pattern, _, *inputs = (of_hex(field) for field in line.split())
        patterns += 1
        texts += len(inputs)
        if theirs_found == ours_found:
            continue
        if theirs_found.startswith("wrong") != ours_found.startswith("wrong"):
            if not is_known(pattern, ""):
                print(repr(pattern), "is to them", theirs_found[:60], "and here", ours_found[:120])
        elif theirs_found.startswith("fine"):
            for text, there, here in zip(inputs, theirs_found.split()[1:], ours_found.split()[1:], strict=True):
                if there != here and there != ".?" and not is_known(pattern, text):
                    print(repr(pattern), "in", repr(text), "gives there", there, "and here", here)
    print("%s: %d patterns, %d texts" % (kind, patterns, texts))


def main():
    if sys.argv[1] == "compare":
        compare(sys.argv[2], *(open(path).read().splitlines() for path in sys.argv[3:]))
        return
    kind, seed, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
    random.seed(int(seed))
    for ours, theirs, texts in cases(kind, count):
        print(" ".join("." + field.encode().hex() for field in (ours, theirs, *texts)))


main()
