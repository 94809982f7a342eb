#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A comment of each atomic operation says why its order is enough.

usage: tests/atomics.py FOLDER...

Operations are those of sched/rt.h (rt_...). stdlib/ may not include that, and
has the compiler's (__atomic_...). Those of C11 and __sync_... are refused: a
plain read of an _Atomic is an operation that nobody sees.

The comment stands on a line of the operation's statement, or directly above the
statement, or above the function whose first statement it is, and has a form of
these:

    // ORDER: reason              for the statement
    // ORDER, both: reason        also for those after it, up to the next blank
                                  line or the function's end: two operations
                                  (or: twice), three, four, or all

A number is checked: so an operation that comes in later does not pass with the
reason of others. (`all` are two or more.) ORDER is the operation's own:
relaxed, acquire, release or seq for a load or store.

A read-modify-write of rt.h is seq_cst always. Its ORDER is the part of that
which is needed: acquire, release, seq, or RMW where it is enough that no other
change comes between. Those of the compiler say their order. The comment has the
same: acquire, release, acq_rel, seq, and relaxed or RMW for a relaxed one. (Of
a compare_exchange that is the one of success.)

The reason says why that is enough. An acquire or release names its partner
(`pairs with NAME`, `pairs with the CAS in NAME`, `pairs with the load above`,
`pairs with itself`) or the place that does (`as in NAME`, `as above`, `see
NAME`). NAME is a function, a macro or a handler of an opcode, and has an atomic
operation itself. A seq names something, too: a place, a function or field, a
step of a protocol (S1), or `the head` of the file. So does a relaxed or RMW,
unless its reason is that no other thread comes between: a lock is held, the
world is stopped, threads are joined, or one thread alone has it. Where many of
a field have one reason, it stands at the field, and they say `see TYPE.FIELD`.

Exempt are the definitions of the operations, and what RT_ASSERT looks at, which
is no part of the program. Whether a reason is true is for reviewers to judge.
The status is 1 when a comment is missing. Each such operation is a line. Each
run first looks for the breaches in PLANTED, and dies if it does not see them.
"""

import glob
import os
import re
import sys

import comments

OPERATION = re.compile(r"\b(?:rt_(?:(?:load|store)_(\w+)|cas|exchange|add|sub|or|and)"
                       r"|__atomic_(\w+))\(")
REFUSED = re.compile(r"\b(?:_Atomic|atomic_\w+|__sync_\w+)\b|<stdatomic\.h>")
DEFINITION = re.compile(r"#define rt_\w+\(")
DOORS = "sched/rt.h", "sched/rt_explore.h"  # what rt_... are made of
RAW = "stdlib/"  # may not include these
LITERAL = r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'"
LINE = re.compile(r"((?:%s|(?!//|/\*).)*)(?:/[/*]+)?(.*?)(?:\*/)?[\\ ]*$" % LITERAL)
RMW = "RMW", "acquire", "release", "seq"
ORDERS = {"RELAXED": ("relaxed",), "ACQUIRE": ("acquire",), "RELEASE": ("release",),
          "ACQ_REL": ("acq_rel",), "SEQ_CST": ("seq",)}
COUNTS = {"both": 2, "twice": 2, "three": 3, "four": 4}
FORM = re.compile(r"\b(relaxed|acquire|release|acq_rel|seq|RMW)(?:, (all|%s))?: *(?=\w)" %
                  "|".join(COUNTS))
PAIRED = "acquire", "release", "acq_rel"
# What follows is the partner, after words of GLUE and the field that is meant.
PARTNER = re.compile(r"\b(?:[Pp]airs with|[Aa]s(?: in)?|[Ss]ee) ((?:\w+ ?)+)")
GLUE = re.compile(r"the|its|acquires?|releases?|CAS|RMWs?|exchange|loads?|stores?|in|of|seq|at|end"
                  r"|compare_exchange|rt_(?:add|sub|or|and|cas|exchange|load_\w+|store_\w+)")
OF_FIELD = re.compile(r"\bo[fn] (?!the)\w+ (?=in )")
NEARBY = "above", "below", "itself"
# Macros and functions that have no such name, and handlers of opcodes.
WITH_BODY = (
    re.compile(r"^[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)[^;{}()]* ?\{(?:[^\n]*\}\n|.*?\n\})",
               re.M | re.S),
    re.compile(r"^#define (\w+)\((?:[^\n]*\\\n)*[^\n]*", re.M),
    re.compile(r"^HANDLER\((\w+)\) \{.*?\n\}", re.M | re.S))
NAMED = re.compile(r"\b(?:(?!rt_)[A-Za-z]\w*_\w+|[STc]\d|the head|\w+\.[ch]"
                   r"|(?:as|see|CAS|RMWs?|load|acquire|with|rt_\w+) (?:above|below|itself))\b")
ALONE = re.compile(r"\b(?:locks?|held|stopped|own|owner|alone|joined|[Nn]obody else|no other"
                   r"|no(?:thing| goroutine) runs|all has ended)\b")
STRUCT = re.compile(r"^(?:typedef )?struct (\w+) \{(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"\b(\w+)(?:\[\w+\])*(?: RT_ALIGNED)?;$")
OF_TYPE = re.compile(r"\bsee ([A-Z]\w*\.\w+)\b")
NO_REASON = "has no comment on its order, or none that names its partner"
PLANTED = (  # (text, the lines of it that are wrong)
    ("  rt_store_release(&a, 1);", [1]),
    ("  // release: shows b; pairs with f\n  rt_store_release(&a, 1);", []),
    ("  rt_store_release(&a, 1);  // release: shows b; pairs with f", []),
    ("  // relaxed: not its order\n  rt_store_release(&a, 1);", [2]),
    ("  // pairs with f\n  rt_store_release(&a, 1);", [2]),
    ("  // release: shows b\n  rt_store_release(&a, 1);", [2]),
    ("  // release: as in f\n  rt_store_release(&a, 1);", []),
    ("  // release: as in g\n  rt_store_release(&a, 1);", [2]),
    ("  // release: as others see it\n  rt_store_release(&a, 1);", [2]),
    ("  // release: see what follows\n  rt_store_release(&a, 1);", [2]),
    ("  // release: pairs with the thief's CAS\n  rt_store_release(&a, 1);", [2]),
    ("  // release: pairs with the rt_or of a thread in f\n  rt_store_release(&a, 1);", [2]),
    ("  // release: pairs with the CAS in f\n  rt_store_release(&a, 1);", []),
    ("  // release: pairs with the CAS in g\n  rt_store_release(&a, 1);", [2]),
    ("  // release: b. Pairs with the load of a in f\n  rt_store_release(&a, 1);", []),
    ("  // release: pairs with the load below\n  rt_store_release(&a, 1);", []),
    ("  // seq: before the other\n  rt_store_seq(&a, 1);", [2]),
    ("  // seq: S1 of the protocol\n  rt_store_seq(&a, 1);", []),
    ("  // seq: see the head\n  rt_store_seq(&a, 1);", []),
    ("  // release:\n  rt_store_release(&a, 1);", [2]),
    ("  // acquire: b. release: c. Pairs with f\n  rt_exchange(&a, 1);", []),
    ("  // pairs with f. release: b\n  rt_exchange(&a, 1);", [2]),
    ("  // relaxed: as in f\n  b = 1;\n  if (rt_load_relaxed(&a)) f();", [3]),
    ("  b = 1;  // relaxed: of the line before\n  f(rt_load_relaxed(&a));", [2]),
    ("  // relaxed: apart\n\n  f(rt_load_relaxed(&a));", [3]),
    ("  // relaxed, both: as in f\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);", []),
    ("  // relaxed, both: as in f\n  b = 1;\n  f(rt_load_relaxed(&a), rt_load_relaxed(&b));", []),
    ("  // relaxed, both: as in f\n  b = rt_load_relaxed(&a);\n\n  c = rt_load_relaxed(&a);", [2, 4]),
    ("  // relaxed, three: as in f\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);", [2]),
    ("  // relaxed, both: as in f\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);\n"
     "  // relaxed: of its own\n  d = rt_load_relaxed(&a);", []),
    ("  // relaxed, both: as in f\n  b = rt_load_relaxed(&a) + rt_load_relaxed(&b);\n"
     "  // relaxed, both: as in f\n  d = rt_load_relaxed(&c) + rt_load_relaxed(&d);", []),
    ("  // seq, both: see f\n  b = rt_load_seq(&a) + rt_load_seq(&a);\n"
     "  f(rt_cas(&a, &b, 1));", [2]),
    ("  // relaxed, twice: as in f\n  b = rt_load_relaxed(&a);\n"
     "  RT_ASSERT(rt_load_relaxed(&a));\n  c = rt_load_relaxed(&a);", []),
    ("// relaxed, both: as in f\nint f(void) {\n"
     "  return rt_load_relaxed(&a) + rt_load_relaxed(&b);\n}", []),
    ("  // relaxed: as in f\n  b = rt_load_relaxed(&a);\n  c = rt_load_relaxed(&a);", [3]),
    ("  // relaxed, all: as in f\n  b = rt_load_relaxed(&a);\n  d = rt_load_relaxed(&a);\n\n"
     "  c = rt_load_relaxed(&a);", [5]),
    ("  // relaxed, all: as in f\n  b = rt_load_relaxed(&a);", [2]),
    ("void f(void) {\n  // RMW, all: as in f\n  rt_add(&a, 1);\n  rt_add(&b, 1);\n}\n"
     "void g(void) {\n  rt_add(&a, 1);\n}", [7]),
    ("// RMW: as in f\nvoid f(void) {\n  rt_add(&a, 1);\n  rt_add(&b, 1);\n}", [4]),
    ("  // acquire: b; pairs with f\n  if (b &&\n      !rt_cas(&a, &none, 1))\n    f();", []),
    ("  if (b &&\n      !rt_cas(&a, &none, 1))\n    f();", [2]),
    ("#define F(a)  \\\n  do {  \\\n    rt_or(&a, 1);  \\\n  } while (0)", [3]),
    ("#define F(a)  \\\n  do {  \\\n    rt_or(&a, 1); /* RMW: as in f */  \\\n  } while (0)", []),
    ("  // relaxed: of the if\n  if (b) {\n    f(rt_load_relaxed(&a));\n  }", [3]),
    ("#define F(a) rt_load_acquire(a)", [1]),
    ("#define rt_new(p) rt_load_acquire(p)", []),
    ("  RT_ASSERT(rt_load_relaxed(&a) == 0);", []),
    ('  f("// relaxed: text", rt_load_relaxed(&a));', [1]),
    ("  b = __atomic_load_n(&a, __ATOMIC_RELAXED);", [1]),
    ("  // relaxed: as in f\n  b = __atomic_load_n(&a, __ATOMIC_RELAXED);", []),
    ("  // relaxed: as in f\n  b = __atomic_load_n(\n      &a, __ATOMIC_ACQUIRE);", [2]),
    ("  // acquire: what f wrote\n  b = __atomic_load_n(\n      &a, __ATOMIC_ACQUIRE);", [2]),
    ("  // acquire: pairs with f\n  b = __atomic_load_n(\n      &a, __ATOMIC_ACQUIRE);", []),
    ("  // acquire: pairs with f\n  f(__atomic_load_n(&a, __ATOMIC_ACQUIRE),\n"
     "    __atomic_load_n(&b, __ATOMIC_RELAXED));", [3]),
    ("  // RMW: as in f\n  __atomic_fetch_add(&a, 1, __ATOMIC_RELAXED);", []),
    ("  // RMW: as in f\n  __atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST);", [2]),
    ("  // RMW: no sum\n  __atomic_store_n(&a, 1, __ATOMIC_RELAXED);", [2]),
    ("  // acq_rel: pairs with itself\n  if (!__atomic_compare_exchange_n(&a, &b, 1, false,\n"
     "      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) f();", []),
    ("  // acquire: pairs with f\n  if (!__atomic_compare_exchange_n(&a, &b, 1, false,\n"
     "      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) f();", [2]),
    ("  // relaxed: order is one\n  __atomic_store_n(&a, 1, order);", [2]),
    ("  // acquire: pairs with f\n  atomic_exchange_explicit(&a, 1, memory_order_acquire);", [2]),
    ("typedef struct A {\n  _Atomic int b;\n  atomic_bool c;  // an atomic_bool\n} A;", [2, 3]),
    ("#include <stdatomic.h>", [1]),
    ("  // RMW: as in f\n  __sync_fetch_and_add(&a, 1);", [2]),
)
PLANTED_NAMED = (  # (text, whether something is wrong)
    ("  // relaxed: a hint\n  a = rt_load_relaxed(&b);", True),
    ("  // relaxed: a hint, which append stores\n  a = rt_load_relaxed(&b);", False),
    ("  // relaxed: a hint, which may be below c\n  a = rt_load_relaxed(&b);", True),
    ("  // relaxed: the world is stopped\n  a = rt_load_relaxed(&b);", False),
    ("  // RMW: one of two wins\n  rt_add(&a, 1);", True),
    ("  // RMW: a sum for heap_stats\n  rt_add(&a, 1);", False),
    ("  // seq: the lock is held\n  a = rt_load_seq(&b);", True),
    ("  // relaxed: see T.a\n  a = rt_load_relaxed(&b);", False),
    ("  // RMW: see T.a\n  rt_or(&a, 1);", True),
    ("  // relaxed: see T.b\n  a = rt_load_relaxed(&b);", True),
    ("  // relaxed: see T.d\n  a = rt_load_relaxed(&b);", True),
)
PLANTED_TYPE = """
typedef struct T {
  // What it is. relaxed: a hint of append
  int a;
  int b;  // relaxed: a hint
  int d;
} T;
"""
PLANTED_BELOW = "  // relaxed: as in f\n  b = __atomic_load_n(&a, __ATOMIC_RELAXED);"


class Rules:
    """What holds for a file. raw: whether operations of the compiler may be
    there, or None where they are definitions. places: what has an atomic
    operation. fields: (TYPE.FIELD, order) of each that has a reason."""

    def __init__(self, raw, places, fields=()):
        self.raw, self.places, self.fields = raw, places, fields

    def is_place(self, text):
        """Whether a partner stands first in it."""
        for word in OF_FIELD.sub("", text).split():
            if word in NEARBY or word in self.places and not GLUE.fullmatch(word):
                return True
            if not GLUE.fullmatch(word):
                break
        return False

    def names(self, order, text):
        """Whether a reason names what it has to."""
        has_place = any(self.is_place(found) for found in PARTNER.findall(text))
        if order in PAIRED or has_place:
            return has_place
        if any((field, order) in self.fields for field in OF_TYPE.findall(text)):
            return True
        return NAMED.search(text) is not None or \
            order != "seq" and ALONE.search(text) is not None or \
            any(len(word) > 3 and word in self.places and not GLUE.fullmatch(word)
                for word in re.findall(r"\w+", text))


class Reason:
    """What a comment says for one ORDER. `many`: None for one statement."""

    def __init__(self, order, many, line, is_named):
        self.order, self.many, self.line, self.named = order, many, line, is_named
        self.operations = 0

    def wrong_number(self):
        wanted = COUNTS.get(self.many)
        if self.many is None or self.operations == wanted:
            return None
        if wanted is None and self.operations > 1:
            return None
        return (self.line, "`%s, %s` stands for %d operation%s, and each other one has a comment" %
                (self.order, self.many, self.operations, "" if self.operations == 1 else "s"))


def statements(text):
    """Its code by lines, the comment on and above it, and whether a run ends
    before it."""
    code, comment, run_ends, in_macro = {}, "", True, False
    for number, line in enumerate(text.splitlines(), 1):
        part, note = LINE.match(line).groups()
        part = part.rstrip("\\ ")
        comment += " " + note
        if part:
            code[number] = part
        elif not note.strip():
            comment, run_ends = "", True
        continued = line.endswith("\\")
        macro_ends = not continued and (in_macro or part.startswith("#"))
        if code and (part.endswith((";", "{", "}", ":")) or macro_ends):
            head = part.endswith("{") and not next(iter(code.values())).startswith(" ")
            yield code, "" if head else comment, run_ends
            code, comment = {}, comment if head else ""
            run_ends = line.startswith("}")
        in_macro = continued


def reasons_of(comment, line, rules):
    text = " ".join(comment.split())
    return [Reason(match.group(1), match.group(2), line,
                   rules.names(match.group(1), text[match.start():]))
            for match in FORM.finditer(text)]


def orders_of(match, code):
    """What its comment may say. Nothing if the operation shows no order."""
    if match.group(2) is None:
        return (match.group(1),) if match.group(1) else RMW
    order = re.search(r"__ATOMIC_(\w+)", code[match.end():])
    orders = ORDERS.get(order.group(1), ()) if order else ()
    changes = not match.group(2).startswith(("load", "store"))
    return orders + ("RMW",) if orders == ("relaxed",) and changes else orders


def wrong_in(code, reasons, raw):
    """(line, what is wrong) of each operation of a statement. `reasons` come
    with the nearest first."""
    text = "\n".join(code.values())
    if text.startswith("RT_ASSERT(") or DEFINITION.match(text):
        return
    lines = list(code)
    for match in REFUSED.finditer(text):
        yield (lines[text.count("\n", 0, match.start())],
               "%s is not to be used: sched/rt.h has operations, and stdlib/ has __atomic_..." %
               match.group())
    for match in OPERATION.finditer(text):
        line, name = lines[text.count("\n", 0, match.start())], match.group()[:-1]
        if match.group(2) and raw is not True:
            if raw is False:
                yield line, "%s is not to be used here: sched/rt.h has such operations" % name
            continue
        orders = orders_of(match, text)
        its = next((reason for reason in reasons if reason.order in orders), None)
        if its is not None:
            its.operations += 1
        if its is None or not its.named:
            yield line, "%s %s" % (name, NO_REASON)


def breaches(text, rules):
    """(line, what is wrong) of each."""
    runs, wrong = [], []
    for code, comment, run_ends in statements(text):
        if run_ends:
            wrong += [reason.wrong_number() for reason in runs]
            runs = []
        own = reasons_of(comment, next(iter(code)), rules)
        code = {line: part.strip() for line, part in code.items()}
        runs = [reason for reason in own if reason.many] + runs
        single = [reason for reason in own if not reason.many]
        wrong += wrong_in(code, single + runs, rules.raw)
    wrong += [reason.wrong_number() for reason in runs]
    return sorted(one for one in wrong if one is not None)


def fields_in(text, places):
    """(TYPE.FIELD, order) of each that has a reason where it is declared."""
    found = set()
    for struct in STRUCT.finditer(text):
        for code, comment, _ in statements(struct.group(2)):
            field = FIELD.search("".join(code.values()))
            if field is not None:
                found |= {("%s.%s" % (struct.group(1), field.group(1)), reason.order)
                          for reason in reasons_of(comment, 0, Rules(False, places))
                          if reason.named}
    return found


def check_planted():
    rules = Rules(True, {"f"})
    for text, lines in PLANTED:
        found = [line for line, _ in breaches(text, rules)]
        if found != lines:
            sys.exit("atomics: in these lines %s are wrong, and %s are found:\n%s" %
                     (lines, found, text))
    if not breaches(PLANTED_BELOW, Rules(False, {"f"})) or \
            breaches(PLANTED_BELOW, Rules(None, {"f"})):
        sys.exit("atomics: __atomic_... is not found where rt.h is to be used, or is in rt.h")
    rules = Rules(False, {"f", "append"}, fields_in(PLANTED_TYPE, {"append"}))
    for text, is_wrong in PLANTED_NAMED:
        if bool(breaches(text, rules)) != is_wrong:
            sys.exit("atomics: %s in this line: %s" % ("nothing is wrong" if is_wrong else
                                                       "something is wrong", text))


def sources(folder):
    found = glob.glob(os.path.join(folder, "**", "*"), recursive=True)
    return sorted(path for path in found if path.endswith((".c", ".h", ".y", ".re")))


def places_in(paths):
    """Functions, macros and handlers that have an atomic operation."""
    return {match.group(1) for path in paths for form in WITH_BODY
            for match in form.finditer(comments.code_of(path))
            if OPERATION.search(match.group())}


def main():
    check_planted()
    status = 0
    paths = [path for folder in sys.argv[1:] for path in sources(folder)]
    places = places_in(paths)
    fields = set()
    for path in paths:
        with open(path, encoding="utf-8") as f:
            fields |= fields_in(f.read(), places)
    for folder in sys.argv[1:]:
        for path in sources(folder):
            raw = None if path in DOORS else path.startswith(RAW)
            rules = Rules(raw, places, fields)
            with open(path, encoding="utf-8") as f:
                for line, what in breaches(f.read(), rules):
                    print("atomics: %s:%d: %s" % (path, line, what), file=sys.stderr)
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
