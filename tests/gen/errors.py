# SPDX-License-Identifier: MIT
"""Makes programs of functions that fail, and what they print: who gets which
error, how many values a call gives, and what errors carry.

A program is functions that call the ones before them, so that it ends. Their
statements are tuples, which `show` writes and `fails.Frame` runs, by what
docs/language.md says. The main part calls each function for several values and
in several ways, and prints what it gives. At its end it panics with errors that
it got, so that the report on standard error tells what they carry."""

import random

import fails
import reduce
from fails import Err

VALUES = [0, 1, 2]
REPORTED = 16  # the runtime shows 20 panics
PRELUDE = """struct S { n }
func (s S) error() => "S${s.n}"
struct R { n }
const K0 = error("K0")
const K1 = error("K1")
func pass(values...) => values
func deferred(n) => error("deferred ${n}")
func waits(n) {
  defer deferred(n)
  sleep(1h)
}"""


class Function:
    """shape: how many values its returns give, "lone", or "any" (of these)."""

    def __init__(self, name, method, shape, asks, arrow=None):
        self.name, self.method, self.shape = name, method, shape
        self.asks, self.arrow, self.body = asks, arrow, []
        self.results = None  # a number, "passed" or "vary"

    def full_name(self):
        return "R." + self.name if self.method else self.name

    def text(self):
        head = "func %s%s(x)" % ("(r R) " if self.method else "", self.name)
        if self.arrow:
            return ["%s => %s" % (head, shown_call(self.arrow))]
        return [head + " {"] + show_all(self.body) + ["}"]


# --- How statements are written ----------------------------------------------
def shown_error(e):
    return {"const": "%s", "made": 'error("%s")', "struct": "S(%s)",
            "name": "%s"}[e[0]] % e[1]


def shown_call(c):
    if c[0] == "asks":
        return shown_call(c[1]) + "?"
    argument = shown_call(c[2]) if isinstance(c[2], tuple) else c[2]
    return "%s%s(%s)" % ("R(1)." if c[1].method else "", c[1].name, argument)


def names(prefix, site, count):
    return ", ".join("%s%d_%d" % (prefix, site, n) for n in range(count))


def block(head, body):
    return [head + " {"] + show_all(body) + ["}"]


def returned(values):
    return " ".join(["return", ", ".join(
        v if isinstance(v, str) else shown_error(v) for v in values)]).strip()


def shown_waiting(s, lines):
    site, values = s[2:]
    return ["%sgroup {" % ("e%d := " % site if values else "")] + \
        ["  " + line for line in lines] + ["}"] + \
        (["if e%d != nil { %s }" % (site, returned(values))] if values else [])


SIMPLE = {
    "stmt": lambda s: [shown_call(s[1])],
    "drop": lambda s: ["_ = " + shown_call(s[1])],
    "take": lambda s: ["%s := %s" % (names("v", s[3], s[2]), shown_call(s[1]))],
    "ask": lambda s: [("%s := %s?" if s[2] else "%.0s%s?") % (
        names("v", s[3], s[2]), shown_call(s[1]))],
    "check": lambda s: ["_, e%d := %s" % (s[2], shown_call(s[1])),
                        "if e%d != nil { %s }" % (s[2], returned(s[3]))],
    "try": lambda s: ["_, e%d := try(func() => %s)" % (s[2], shown_call(s[1])),
                      "if e%d != nil { %s }" % (s[2], returned(s[3]))],
    "task": lambda s: ["t%d := go %s" % (s[3], shown_call(s[1])),
                       "%s := <-t%d" % (names("v", s[3], s[2]), s[3])],
    "task_ask": lambda s: ["t%d := go %s" % (s[2], shown_call(s[1])),
                           "v%d := (<-t%d)?" % (s[2], s[2])],
    "task_stmt": lambda s: ["t%d := go %s" % (s[2], shown_call(s[1])), "<-t%d" % s[2]],
    "task_drop": lambda s: ["t%d := go %s" % (s[2], shown_call(s[1])), "_ = <-t%d" % s[2]],
    "try_stmt": lambda s: ["try(func() => %s)" % shown_call(s[1])],
    "defer": lambda s: ["defer " + shown_call(s[1])],
    "defer_panic": lambda s: ["defer panic(%s)" % shown_error(s[1])],
    "defer_native": lambda s: ['defer "x".parse_int()'],
    "defer_recover": lambda s: ["defer func() { recover() }()"],
    "group": lambda s: block("group", []) [:1] + ["  go " + shown_call(s[1]), "}"],
    "group_value": lambda s: ["e%d := group {" % s[2], "  go " + shown_call(s[1]), "}",
                              "if e%d != nil { %s }" % (s[2], returned(s[3]))],
    "group_body": lambda s: shown_waiting(s, ["go " + shown_call(s[1]), "waits(%d)" % s[2]]),
    "group_two": lambda s: shown_waiting(s, ["go waits(%d)" % s[2], "go " + shown_call(s[1])]),
    "group_return": lambda s: ["group {", "  go " + shown_call(s[1]), "  " + returned(s[2]), "}"],
    "panic": lambda s: ["panic(%s)" % shown_error(s[1])],
    "return": lambda s: [returned(s[1])],
    "return_call": lambda s: ["return " + shown_call(s[1])],
    "return_group": lambda s: ["return group {", "  go " + shown_call(s[1]), "}"],
    "if": lambda s: block("if x == %d" % s[1], s[2]),
    "inside": lambda s: block("group", s[1]),
    "switch": lambda s: ["switch x {"] + [
        line for n, body in s[1] for line in ["case %d:" % n] + show_all(body)] + ["}"],
    "return_if": lambda s: ["return if x == %d { %s } else { nil }" % (s[1], shown_error(s[2]))],
}


def show_all(body):
    return ["  " + line for s in body for line in SIMPLE[s[0]](s)]


# --- Making ------------------------------------------------------------------
class Body:
    """Makes the statements of one function, of the functions before it."""

    def __init__(self, rng, function, before, maker):
        self.rng, self.function, self.before, self.maker = rng, function, before, maker

    def site(self):
        self.maker.sites += 1
        return self.maker.sites

    def call(self, constant=False):
        argument = self.rng.choice(VALUES) if constant or self.rng.random() < 0.2 else "x"
        return ("call", self.rng.choice(self.before), argument)

    def error(self):
        kind = self.rng.choice(["const", "made", "made", "struct"])
        site = self.site()
        return (kind, "K%d" % (site % 2) if kind == "const" else
                "m%d" % site if kind == "made" else site)

    def last(self, e):
        """What a return of that error has."""
        f = self.function
        lone = f.asks and (self.rng.random() < 0.5 or f.shape in (1, "lone"))
        count = 1 if lone else f.shape if isinstance(f.shape, int) else self.rng.choice([1, 2, 3])
        return ["nil"] * (count - 1) + [e]

    def values(self):
        f = self.function
        count = f.shape if isinstance(f.shape, int) else self.rng.choice([0, 1, 2, 3])
        if f.asks and f.shape in (1, "lone"):
            return ["nil"] if self.rng.random() < 0.8 else []
        if f.asks or self.rng.random() < 0.6:
            return [str(self.site()) for _ in range(count - 1)] + ["nil"] * (count > 0)
        return [str(self.site()) for _ in range(count)]

    def leave(self):
        rng, f = self.rng, self.function
        kinds = ["values", "error", "call", "group", "panic", "if"]
        weights = [3, 3, 3, 0.5, 0.7, 0.5]
        if f.asks and f.shape == 1:
            weights[2] = 0
        if f.asks and isinstance(f.shape, str):
            weights[2] = 6
        kind = rng.choices(kinds, weights)[0]
        if kind == "values":
            return ("return", self.values())
        if kind == "error":
            return ("return", self.last(self.error()))
        if kind == "call":
            return ("return_call", self.call())
        if kind == "group":
            return ("return_group", self.call())
        return ("return_if", rng.choice(VALUES), self.error()) if kind == "if" else \
            ("panic", self.error())

    def failing(self):
        """A call that fails a group, or None."""
        for _ in range(5):
            call = self.call(constant=True)
            self.maker.calls = self.maker.groups = 0
            try:
                if fails.member(self.maker, call, 0) is not None:
                    return call
            except fails.Unclear:
                pass
        return None

    def simple(self):
        rng = self.rng
        kind = rng.choice(["stmt", "drop", "take", "check", "try", "try_stmt", "task", "task_stmt",
                           "task_drop", "defer", "defer", "defer_panic", "defer_native",
                           "defer_recover", "group", "group_value", "group_body", "group_two",
                           "group_return"] +
                          ["ask", "ask", "task_ask"] * self.function.asks)
        site = self.site()
        error = ("name", "e%d" % site)
        if kind in ("take", "ask", "task"):
            return (kind, self.call(), rng.choice([1, 1, 2, 3] if kind != "ask" else [0, 1, 1, 2]), site)
        if kind in ("check", "try", "group_value"):
            return (kind, self.call(), site, self.last(error))
        if kind == "defer_panic":
            return (kind, self.error())
        if kind in ("defer_native", "defer_recover"):
            return (kind,)
        if kind in ("group_body", "group_two"):
            call = self.failing()
            valued = self.last(error) if rng.random() < 0.5 else None
            return (kind, call, site, valued) if call else ("drop", self.call())
        if kind == "group_return":
            call, values = self.failing(), self.last(self.error())
            return (kind, call, values) if call else ("drop", self.call())
        return (kind, self.call(), site)

    def statement(self):
        rng = self.rng
        kind = rng.choices(["simple", "if", "switch", "inside"], [6, 3, 1, 1])[0]
        if kind == "if":
            return ("if", rng.choice(VALUES), self.some(2) + [self.leave()])
        if kind == "switch":
            return ("switch", [(n, self.some(1) + [self.leave()]) for n in VALUES[:2]])
        if kind == "inside":
            return ("inside", self.some(2) + [self.leave()] * (rng.random() < 0.3))
        return self.simple()

    def some(self, most):
        return [self.simple() for _ in range(self.rng.randint(0, most))]

    def make(self):
        f = self.function
        f.body = [self.statement() for _ in range(self.rng.randint(1, 4))]
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            f.body.insert(0, ("defer", self.call(), self.site()))
        if f.asks:
            f.body.insert(0, ("ask", self.call(), 0, self.site()))
        if f.asks and f.shape == "lone":
            f.body.append(("return_call", self.call()))
        elif self.rng.random() < 0.8:
            f.body.append(self.leave())


WAYS = ["take1", "take2", "take3", "all", "stmt", "drop", "try", "task1", "task2", "task3",
        "task_stmt", "select", "group", "group_value", "map"]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.sites = self.calls = self.groups = 0
        self.functions = []
        for n in range(self.rng.randint(3, 7)):
            self.add(n)
        self.ways = [(f, x, way) for f in self.functions for x in VALUES
                     for way in self.rng.sample(WAYS, 4)]
        self.text, self.output = self.program()

    def add(self, n):
        rng = self.rng
        shape = rng.choice([1, 2, 2, 3, "lone", "lone", "any"])
        asks = n > 0 and shape != "any" and rng.random() < 0.6
        f = Function("f%d" % n, rng.random() < 0.25, shape, asks)
        body = Body(rng, f, self.functions, self)
        if not self.functions:
            f.body = [("if", k, [("return", body.last(body.error()))]) for k in VALUES[:2]]
            f.body.append(("return", body.values()))
        elif rng.random() < 0.15:
            call = body.call()
            f.arrow, f.asks = rng.choice([(call, False), (("asks", call), True), (
                ("call", rng.choice(self.functions), ("asks", call)), True)])
        else:
            body.make()
        f.results = fails.result_count(f)
        self.functions.append(f)

    def call(self, f, x, site):
        return {"take1": ["a := %s", "return [a]"], "take2": ["a, b := %s", "return [a, b]"],
                "take3": ["a, b, c := %s", "return [a, b, c]"], "all": ["return [pass(%s)]"],
                "stmt": ["%s"], "drop": ["_ = %s"], "try": ["a, b := try(func() => %s)", "return [a, b]"],
                "task1": ["a := <-go %s", "return [a]"], "task2": ["a, b := <-go %s", "return [a, b]"],
                "task3": ["a, b, c := <-go %s", "return [a, b, c]"], "task_stmt": ["<-go %s"],
                "select": ["select {", "case a, b := <-go %s: return [a, b]", "}"],
                "group": ["group { go %s }"], "group_value": ["a := group { go %s }", "return [a]"],
                "map": ["a, b := [x].try_map(func(x) => %s)", "return [a, b]"]}[site]

    def last_call(self):
        """One that ends the program, if there is one, and the reports."""
        for f in reversed(self.functions):
            for x in VALUES:
                reports = fails.uncaught(self, f, x)
                if reports:
                    return "%s%s(%d)" % ("R(1)." if f.method else "", f.name, x), reports
        return 'panic("end")', ["panic: end"]

    def try_row(self, rows, row):
        try:
            rows.append((row, fails.outcome(self, *row)))
        except fails.Unclear:
            pass

    def program(self):
        lines = [PRELUDE] + [line for f in self.functions for line in f.text()]
        lines += ["func show(n, f, x) {", "  v, err := try(f, x)",
                  "  println(n, v, err)", "  return err", "}", "seen := []"]
        out, errors, rows = [], [], []
        for way in self.ways:
            self.try_row(rows, way)
        for n, (_, (v, err)) in enumerate(rows):
            out.append("%d %s %s" % (n, fails.text(v), fails.text(err)))
            if isinstance(err, Err):
                errors.append((n, err))
        errors.sort(key=lambda row: (not row[1].also, row[0]))
        kept = sorted(errors[:REPORTED], key=lambda row: row[0])
        kept_rows = {n for n, _ in kept}
        for n, ((f, x, way), _) in enumerate(rows):
            call = "%s%s(x)" % ("R(1)." if f.method else "", f.name)
            body = "; ".join(self.call(f, x, way)).replace("{;", "{").replace("%s", call)
            lines.append("%sshow(%d, func(x) { %s }, %d)%s" % (
                "seen.push(" if n in kept_rows else "_ = ", n, body, x, ")" * (n in kept_rows)))
        last, reports = self.last_call()
        lines += ["for e in seen.reverse() { defer panic(e) }", last]
        reports += [line for _, err in kept for line in fails.report(err)]
        return "\n".join(lines) + "\n", "\n".join(out + reports) + "\n"

    def shrink(self, bad):
        """While bad(), of the text and output as they are then."""
        def holds():
            self.text, self.output = self.program()
            return bad()

        def fewer_ways(ways):
            self.ways = ways
            return holds()

        def fewer_statements(f):
            def is_bad(body):
                f.body = body
                f.asks = fails.has_mark(body)
                f.results = fails.result_count(f)
                return holds()
            return is_bad
        def fewer_functions(functions):  # one that is called does not compile
            self.functions = functions
            return holds()
        self.ways = reduce.fewer(self.ways, fewer_ways)
        for f in self.functions:
            if not f.arrow:
                f.body = reduce.fewer(f.body, fewer_statements(f))
                fewer_statements(f)(f.body)
        self.functions = reduce.fewer(self.functions, fewer_functions)
        self.text, self.output = self.program()
