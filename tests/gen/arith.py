# SPDX-License-Identifier: MIT
"""Makes programs of arithmetic and comparison, and what they print.

A program is functions that are called with several rows of arguments (so that
one place meets ints, then floats). Operands are locals with low and high
register numbers, captured variables, fields, elements, globals, constants with
low and high indexes and small numbers, on either side. The language made here
is run at the same time by `run` and `value` below, with model.py. A statement
that panics is kept now and then, for its message, or another one is made.

An expression is a tuple: ("value", v), ("name", n), (operator, a, b),
("unary", operator, a), ("call", parameter, body, argument)."""

import random

import model
from model import MAX, MIN, Panic

PRECEDENCE = {"??": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 4, "<=": 4,
              ">": 4, ">=": 4, "+": 6, "-": 6, "+%": 6, "-%": 6, "|": 6, "^": 6,
              "*": 7, "/": 7, "%": 7, "*%": 7, "<<": 7, ">>": 7, "&": 7}
SUMS, PRODUCTS = ["+", "-"], ["*", "/", "%"]
BITS, WRAPPING = ["&", "|", "^", "<<", ">>"], ["+%", "-%", "*%"]
ORDER = ["==", "!=", "<", "<=", ">", ">="]
LOGIC = ["&&", "||", "??"]

EDGES = [0, 1, -1, 2, 3, 7, -8, 63, 64, 127, 128, -127, -128, -129, 255, 256,
         32767, 32768, -32768, -32769, 65535, 65536, 2 ** 31, 2 ** 32 - 1,
         2 ** 53, 2 ** 53 + 1, 2 ** 61 - 1, 2 ** 61, -2 ** 61, -2 ** 61 - 1,
         2 ** 62, MAX, MAX - 1, MIN + 1, MIN]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.0, 3.25, -7.75, 0.1, 1e15, 1e16,
          9007199254740993.0, 9.223372036854775807e18, -9.223372036854775808e18,
          1e21, 1e-5, 1e-7, 1e300, -1e300, 5e-324, 2.2250738585072014e-308,
          1.7976931348623157e308]


def literal(value):
    if type(value) is str:
        return '"%s"' % value
    return model.text(value)


# --- Expressions: their text, and their value --------------------------------
def show(e, rng):
    """(text, precedence)."""
    kind = e[0]
    if kind == "value":
        return literal(e[1]), 8 if literal(e[1])[0] == "-" else 9
    if kind == "name":
        return e[1], 9
    if kind == "call":
        body, argument = show(e[2], rng)[0], show(e[3], rng)[0]
        return "(func(%s) => %s)(%s)" % (e[1], body, argument), 9
    if kind == "unary":
        inside = within(e[2], 8, rng)
        if inside[0] == "-":
            inside = "(%s)" % inside
        return e[1] + inside, 8
    mine = PRECEDENCE[kind]
    return "%s %s %s" % (within(e[1], mine, rng), kind,
                         within(e[2], mine + 1, rng)), mine


def within(e, least, rng):
    """In parentheses where it has to be, and now and then."""
    shown, precedence = show(e, rng)
    if precedence < least or rng.random() < 0.1:
        return "(%s)" % shown
    return shown


def value(e, env):
    kind = e[0]
    if kind == "value":
        return e[1]
    if kind == "name":
        return env[e[1]]
    if kind == "call":
        return value(e[2], {**env, e[1]: value(e[3], env)})
    if kind == "unary":
        return model.unary(e[1], value(e[2], env))
    left = value(e[1], env)
    if kind in LOGIC:
        decided = {"&&": not model.truth(left), "||": model.truth(left),
                   "??": left is not None}[kind]
        return left if decided else value(e[2], env)
    right = value(e[2], env)
    operate = model.compare if kind in ORDER else model.binary
    return operate(kind, left, right)


# --- Statements: run ---------------------------------------------------------
MOST_TEXT = 200
MOST_REGISTERS = 230  # of 250: some are temporaries


def assign(env, name, new):
    if type(new) is str and len(new) > MOST_TEXT:
        raise Panic("too long for the generator")
    env[name] = new


def run(statement, env, out):
    """Does what the statement does; env changes, out gets what is printed."""
    kind = statement[0]
    if kind in ("declare", "set"):
        assign(env, statement[1], value(statement[2], env))
    elif kind == "change":
        assign(env, statement[1], model.binary(
            statement[2], env[statement[1]], value(statement[3], env)))
    elif kind == "print":
        out.append(" ".join(model.text(value(e, env)) for e in statement[1]))
    elif kind == "if":
        branch = statement[2 if model.truth(value(statement[1], env)) else 3]
        run_all(branch, env, out)
    elif kind == "for":
        for i in range(statement[2]):
            env[statement[1]] = i
            run_all(statement[3], env, out)
    elif kind == "inside":
        run_all(statement[1], env, out)
    elif kind == "try":
        try:
            out.append(model.text(value(statement[1], env)) + " nil")
        except Panic as panic:
            out.append("nil %s" % panic)


def run_all(statements, env, out):
    for statement in statements:
        run(statement, env, out)


# --- Programs ----------------------------------------------------------------
class Function:
    """One function being made, and how far its calls get: an environment for
    each row of arguments, and the panic that ended it."""

    def __init__(self, maker, name):
        self.maker, self.rng, self.name = maker, maker.rng, name
        self.steps, self.count = [], 0  # (statement, its lines)
        self.parameters = ["p%d" % i for i in range(self.rng.randint(1, 4))]
        self.rows = [self.row() for _ in range(self.rng.randint(1, 3))]
        self.envs = [dict(zip(self.parameters, row), **maker.globals)
                     for row in self.rows]
        self.panics = [None] * len(self.rows)
        self.names = list(self.parameters)
        self.fixed = set(maker.globals)

    def row(self):
        kind = self.rng.choice(["int", "float", "mixed", "mixed"])
        return [self.maker.number(kind) for _ in self.parameters]

    # -- expressions
    def operand(self):
        if self.rng.random() < 0.62:
            readable = self.names + list(self.maker.globals)
            return "name", self.rng.choice(
                readable[-6:] if self.rng.random() < 0.4 else readable)
        return "value", self.maker.literal_value()

    def expression(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.12:
            return self.operand()
        pick = rng.random()
        if pick < 0.10:
            return "unary", rng.choice("--^!"), self.expression(depth - 1)
        if pick < 0.15:
            self.count += 1
            return ("call", "q%d" % self.count, self.expression(depth - 1),
                    self.expression(depth - 1))
        if pick < 0.35:
            return self.pair(depth - 1)
        operators = rng.choices(
            [SUMS, PRODUCTS, BITS, WRAPPING, ORDER, LOGIC], [7, 6, 3, 3, 3, 1])[0]
        return (rng.choice(operators), self.expression(depth - 1),
                self.expression(depth - 1))

    def pair(self, depth):
        """What the compiler makes one instruction of."""
        a, b, c = (self.expression(depth) if self.rng.random() < 0.2
                   else self.operand() for _ in range(3))
        rng = self.rng
        first, second = rng.choice([
            ("*", rng.choice(SUMS)), (rng.choice(SUMS), rng.choice(SUMS)),
            ("*%", "+%"), (rng.choice(["<<", ">>"]), "^")])
        if first in ("<<", ">>"):
            count = ("value", rng.randint(0, 63))
            b = (first, b, count)
            if first == ">>" and rng.random() < 0.4:
                zeros = 2 ** 64 - 1 >> count[1] + rng.choice([0, 0, 0, 1, 2])
                b = ("&", b, ("value", min(MAX, zeros)))
            return "^", a, b
        inner = first, a, b
        return (second, inner, c) if rng.random() < 0.6 else (second, c, inner)

    # -- statements
    def text(self, e):
        return show(e, self.rng)[0]

    def try_out(self, statement):
        """Its effect on each call that is still alive, if it may be kept."""
        results, bad = [], 0
        for env, panic in zip(self.envs, self.panics):
            env = dict(env)
            if panic is None:
                try:
                    run(statement, env, [])
                except Panic as raised:
                    panic = str(raised)
                    bad += 1
                    if panic.startswith("too long"):
                        return None
            results.append((env, panic))
        return None if bad and self.rng.random() > 0.03 else results

    def add(self, statement, lines):
        results = self.try_out(statement)
        if results is None:
            return False
        self.envs, self.panics = map(list, zip(*results))
        self.steps.append((statement, lines))
        return True

    def new_name(self):
        self.count += 1
        return "v%d" % self.count

    def assignable(self):
        return self.rng.choice([n for n in self.names if n not in self.fixed])

    def declare(self, depth=3):
        e = self.expression(depth)
        form = self.rng.random()
        name = self.new_name()
        if form < 0.85:
            place, line = name, "%s := %s" % (name, self.text(e))
        elif form < 0.90:
            place, line = name + ".x", "%s := Box(%s)" % (name, self.text(e))
        elif form < 0.95:
            place, line = name + "[1]", "%s := [0, %s]" % (name, self.text(e))
        else:
            place, line = name + ".k", "%s := {k: %s}" % (name, self.text(e))
        if self.add(("declare", place, e), [line]):
            self.names.append(place)

    def change(self):
        name, form = self.assignable(), self.rng.random()
        if form < 0.15:
            op = self.rng.choice(SUMS)
            self.add(("change", name, op, ("value", 1)), [name + op * 2])
            return
        e = self.expression(2)
        op = self.rng.choice(SUMS + PRODUCTS + BITS + WRAPPING)
        statement, line = ("set", name, e), "%s = %s" % (name, self.text(e))
        if form < 0.5:
            statement = "change", name, op, e
            line = "%s %s= %s" % (name, op, self.text(e))
        lines = [line]
        if form > 0.8:  # the variable lives in a cell from now on
            lines = ["func() {", "  " + line, "}()"]
        self.add(statement, lines)

    def condition(self):
        self.count += 1
        rng, n = self.rng, self.count
        e = rng.choice(ORDER), self.expression(1), self.expression(1)
        if rng.random() < 0.3:
            e = rng.choice(LOGIC[:2]), e, (rng.choice(ORDER), self.operand(),
                                           self.operand())
        if rng.random() < 0.2:
            e = "unary", "!", e
        yes, no = ('"yes %d"' % n, '"no %d"' % n)
        statement = ("if", e, [("print", [("value", yes[1:-1])])],
                     [("print", [("value", no[1:-1])])])
        self.add(statement, ["if %s {" % self.text(e), "  println(%s)" % yes,
                             "} else {", "  println(%s)" % no, "}"])

    def loop(self):
        self.count += 1
        i, name = "i%d" % self.count, self.assignable()
        self.names.append(i)
        e = self.expression(2)
        self.names.remove(i)
        times = self.rng.randint(1, 12)
        head = self.rng.choice(["for %s in %d {", "for %s in 0..%d {",
                                "for {0} := 0; {0} < {1}; {0}++ {{"])
        head = head.format(i, times) if "{0}" in head else head % (i, times)
        body = [("set", name, e)]
        self.add(("for", i, times, body),
                 [head, "  %s = %s" % (name, self.text(e)), "}"])

    def attempt(self):
        e = self.expression(3)
        self.add(("try", e), ["println(try(func() => %s))" % self.text(e)])

    def output(self):
        es = [self.expression(2) for _ in range(self.rng.randint(1, 3))]
        self.add(("print", es),
                 ["println(%s)" % ", ".join(self.text(e) for e in es)])

    def fill_constants(self):
        """Constants of their own, so that later ones have high indexes."""
        n = self.rng.choice([100, 200, 250, 256, 300])
        for at in range(0, n, 10):
            tests = " || ".join('p0 == "k%d"' % k for k in range(at, at + 10))
            self.steps.append((("inside", []), ["if %s { return 0 }" % tests]))

    def make(self):
        rng = self.rng
        if rng.random() < 0.2:
            self.fill_constants()
        wide = rng.random() < 0.2
        for _ in range(rng.randint(80, 200) if wide else rng.randint(1, 6)):
            self.declare(1 if wide else 3)
        steps = [self.declare, self.change, self.condition, self.loop,
                 self.attempt, self.output]
        for _ in range(rng.randint(4, 25)):
            if all(panic is not None for panic in self.panics):
                break
            rng.choices(steps, [3, 4, 3, 2, 3, 4])[0]()
        rest = [n for n in self.names if rng.random() < 0.3][:MOST_REGISTERS - self.count]
        self.add(("print", [("name", n) for n in rest]),
                 ["println(%s)" % ", ".join(rest)])

    def text_of(self, steps):
        return (["func %s(%s) {" % (self.name, ", ".join(self.parameters))] +
                ["  " + line for _, lines in steps for line in lines] +
                ["  return 1", "}"])

    def calls(self, steps, rows):
        """The lines that call it, and what they print."""
        lines, out = [], []
        for row in rows:
            arguments = "".join(", " + literal(v) for v in row)
            lines.append("println(try(%s%s))" % (self.name, arguments))
            env = dict(zip(self.parameters, row), **self.maker.globals)
            try:
                run_all([statement for statement, _ in steps], env, out)
                out.append("1 nil")
            except Panic as panic:
                out.append("nil %s" % panic)
        return lines, out


class Maker:
    """A program from a seed: `text`, and `output`, what it has to print."""

    def __init__(self, seed):
        self.rng = random.Random("arith %d" % seed)
        self.globals = {"g%d" % i: self.literal_value() for i in range(3)}
        self.functions = [Function(self, "f%d" % n)
                          for n in range(self.rng.randint(2, 6))]
        for function in self.functions:
            function.make()
        self.text, self.output = self.program(
            [(f, f.steps, f.rows) for f in self.functions])

    def program(self, parts):
        """(text, output) of [(function, steps of its body, rows)]."""
        lines = ["struct Box { x }"]
        lines += ["%s := %s" % (name, literal(v))
                  for name, v in self.globals.items()]
        out, calls = [], []
        for function, steps, rows in parts:
            lines += function.text_of(steps)
            more, printed = function.calls(steps, rows)
            calls += more
            out += printed
        return ("\n".join(lines + calls) + "\n",
                "".join(line + "\n" for line in out))

    def number(self, kind):
        if kind == "mixed":
            kind = self.rng.choice(["int", "int", "float"])
        if kind == "float":
            return (self.rng.choice(FLOATS) if self.rng.random() < 0.4
                    else self.rng.randint(-4000, 4000) / 8)
        pick = self.rng.random()
        if pick < 0.35:
            return self.rng.choice(EDGES)
        if pick < 0.85:
            return self.rng.randint(-200, 200)
        return self.rng.randint(MIN, MAX)

    def literal_value(self):
        pick = self.rng.random()
        if pick < 0.90:
            return self.number("mixed")
        return self.rng.choice([True, False, None, "", "a", "b", "ab", "k7"])
