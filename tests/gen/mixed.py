# SPDX-License-Identifier: MIT
"""Makes programs in which the features of the language are mixed, and whose
output is the same however they are run.

They end: loops have a fixed number of turns, functions call earlier ones or
themselves with a depth, and the work of all is estimated while they are made
(`cost`). They are valid: names are declared and types mostly fit. What panics
does so below a `try`, and the text of the panic is printed. They are
deterministic: goroutines get what nobody changes (`shared` says that a body is
run by one), and what they give is taken in an order that the program fixes."""

import random
import re

from grown import Grown
from shapes import Shapes
from values import Values
from words import ATOMS, Words

MOST_COST = 300       # of one function, in statements and calls
MOST_TURNS = 6
MODULE = "mod"        # the file beside the program, mod.csp
PRELUDE = """\
import "fmt"
import "maps"
import "math"
import "sched"
import "strings"
import "sync"
import "time"
struct Point { x, y = x + 1 }
func (p Point) sum() => p.x + p.y
func (p Point) mix(n, by = 3) => p.x *% n +% p.y ^ by
func (p Point) moved(dx = 0, dy = 1) {
  p.x, p.y = p.x +% dx, p.y +% dy
  return p
}
struct Named { name, n = 0 }
func (v Named) string() => "<${v.name}:${v.n}>"
struct Fault { code }
func (f Fault) error() => "fault ${f.code}"
func risky(n, otherwise = 1) {
  if n % 3 == 0 { return nil, Fault(n) }
  if n % 5 == 0 { return nil, error("five", cause: Fault(otherwise), code: n) }
  return n +% otherwise, nil
}
func passes(n) {
  v := risky(n, otherwise: 2)?
  return v +% 1, nil
}
func fault(n) { return Fault(n) }
func lone(n) {
  passes(n)?
  if n % 7 == 0 { return error("seven") }
  if n % 2 == 0 { return fault(n) }
  return passes(n +% 2)
}
func clip(x) {
  switch x {
  case is string: return x[:min(len(x), 30)]
  case is list, is tuple: return x[:min(len(x), 8)]
  }
  return x
}
func sink(values...) {
  n := 0
  for v in values { n = n *% 31 +% len(str(v)) }
  return n & 0xffff
}
func cut(s, a, b) {
  if len(s) == 0 { return s }
  from, to := (a & 255) % len(s), (b & 255) % len(s)
  return s[min(from, to):max(from, to)]
}
"""


class Function:
    """What can be called: its parameters are ints. starts: goroutines."""

    def __init__(self, name, required, optional, rest, results, cost, shared, starts):
        self.name, self.required, self.optional = name, required, optional
        self.rest, self.results, self.starts = rest, results, starts
        self.cost, self.shared, self.recursive = cost, shared, name[0] == "r"


class Struct:
    """A struct of ints: its name, its fields, how many of these need a value,
    and its methods, {name: (parameters, how many of these need one)}."""

    def __init__(self, name, fields, required):
        self.name, self.fields, self.required = name, fields, required
        self.methods = {}


class Maker(Words, Shapes, Values, Grown):
    """A program from a seed: `text`, and the `files` that it imports."""

    def __init__(self, seed):
        self.rng = random.Random("mixed %d" % seed)
        self.indent, self.functions, self.structs = 0, [], []
        self.names, self.writable, self.loops, self.labels = [], set(), 0, []
        self.results, self.shared, self.starts = 0, False, True
        self.turns, self.cost, self.depth, self.frozen = 1, 0, 0, set()
        self.files = {MODULE + ".csp": self.module()} if self.chance(0.5) else {}
        self.lines = ['import %s "./%s"' % (MODULE, MODULE)] if self.files else []
        self.lines += PRELUDE.splitlines()
        for _ in range(self.rng.randint(0, 2)):
            self.struct()
        self.start_function(True)  # (no names)
        self.shared = False
        for name, kind in (("g1", "int"), ("g2", "str"), ("g3", "list"), ("g4", "map")):
            self.emit("%s := %s" % (name, self.expression(kind, 0)))
        for _ in range(self.rng.randint(2, 5)):
            self.function()
        self.main()
        self.text = "\n".join(self.lines) + "\n"

    def module(self):
        """The text of a file whose functions and structs the program uses."""
        self.lines = PRELUDE.splitlines()
        self.struct()
        for _ in range(self.rng.randint(1, 3)):
            self.function(True)
        for named in self.structs + self.functions:
            named.name = MODULE + "." + named.name
        return "\n".join(self.lines) + "\n"

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def say(self, text):
        """A print, or where several goroutines would print at once a number
        made of the values."""
        if not self.shared:
            self.emit("println(%s)" % text)
            return
        name = self.new_name("v")
        self.emit("%s := sink(%s)" % (name, text))
        self.names.append((name, "int"))

    def chance(self, probability):
        return self.rng.random() < probability

    def spend(self, cost):
        """Whether so much more work is within what the function may cost."""
        if self.cost + cost * self.turns > MOST_COST:
            return False
        self.cost += cost * self.turns
        return True

    # -- blocks
    def block(self, head, body, turns=1, tail="}"):
        self.emit(head)
        keep = list(self.names), set(self.writable), self.turns
        self.indent, self.turns = self.indent + 1, self.turns * turns
        self.depth += 1
        body()
        self.depth -= 1
        self.indent -= 1
        self.names, self.writable, self.turns = keep
        self.emit(tail)

    def own_function(self, body, results):
        """A function's body: its own loops, labels and results."""
        keep = self.loops, self.labels, self.results
        self.loops, self.labels, self.results = 0, [], results
        body()
        self.loops, self.labels, self.results = keep

    def statements(self, least=1, most=4):
        for _ in range(self.rng.randint(least, most)):
            self.statement()

    def head(self, kind, depth=2):
        """An expression before a block."""
        text = self.expression(kind, depth)
        return "(%s)" % text if text[0] == "{" or " in " in text else text

    def statement(self):
        if not self.spend(1):
            return
        choices = self.LEAF if self.depth > 6 else self.LEAF + self.NESTED
        if not self.shared and self.depth < 4:
            choices = choices + self.CONCURRENT
        weights, makers = zip(*choices)
        self.rng.choices(makers, weights)[0](self)

    # -- names
    def declare(self, kind=None):
        kind = kind or self.rng.choice(
            ["int"] * 4 + ["str", "str", "float", "bool", "list", "list", "strs",
                           "map", "bytes", "range", "point", "tuple"])
        text = self.expression(kind)
        name = self.new_name("v")
        form = self.rng.random()
        if form < 0.1 and kind in ATOMS:
            self.emit("var %s = %s" % (name, text))
        elif form < 0.2:
            self.emit("const %s = clip(%s)" % (name, text))
            self.names.append((name, kind))
            return
        elif kind in ("str", "list", "strs", "tuple"):
            self.emit("%s := clip(%s)" % (name, text))
        else:
            self.emit("%s := %s" % (name, text))
        self.names.append((name, kind))
        self.writable.add(name)

    def pick(self, kind):
        """A name of that type that may be assigned, or None."""
        names = [n for n in self.names_of(kind) if n in self.writable]
        return self.rng.choice(names) if names else None

    def assign(self):
        kind = self.rng.choice(["int", "int", "int", "str", "float", "list", "point",
                                "tuple"])
        name = self.pick(kind)
        if name is None:
            self.declare(kind)
        elif kind == "int" and self.chance(0.6):
            if self.chance(0.2):
                self.emit(name + self.rng.choice(["++", "--"]))
            else:
                op = self.rng.choice("+ - * / % & | ^ << >> +% -% *%".split())
                kind = "Shift" if op in ("<<", ">>") else "int"
                self.emit("%s %s= %s" % (name, op, self.expression(kind, 2)))
                if op in ("*", "<<"):
                    self.emit("%s &= 0xffff" % name)
        else:
            self.emit("%s = clip(%s)" % (name, self.expression(kind)))

    def assign_many(self):
        a, b = self.pick("int"), self.pick("int")
        if a is None or a == b:
            return self.declare("int")
        form = self.rng.randint(0, 2)
        if form == 0:
            self.emit("%s, %s = %s, %s" % (a, b, b, a))
        elif form == 1:
            self.emit("%s, %s = %s, %s" % (a, b, self.expression("int"),
                                           self.expression("int")))
        else:
            c = self.new_name("v")
            self.emit("%s, %s := %s, %s" % (a, c, self.expression("int"),
                                            self.expression("int")))
            # (Both may be new here; then they end with this block.)
            self.names.append((c, "int"))
        return None

    def change(self):
        """A container, in place."""
        kind = self.rng.choice(["list", "map", "point", "strs", "bytes", "object"])
        if kind == "object":
            return self.change_object()
        name = self.pick(kind)
        if name is None:
            return self.declare(kind)
        i, s = self.expression("int", 2), self.expression("str", 2)
        self.emit({
            "list": self.rng.choice([
                "if len({0}) < 12 {{ {0}.push({1}) }}", "{0}[{3}] = {1}",
                "if len({0}) > 2 {{ {0}.pop() }}", "{0}.swap(0, len({0}) - 1)",
                "{0}[{3}] += {1}", "if len({0}) < 12 {{ {0}.insert(0, {1}) }}",
                "if len({0}) > 2 {{ {0}.remove(0) }}"]),
            "strs": "if len({0}) < 12 {{ {0}.push(clip({2})) }}",
            "map": self.rng.choice([
                "if len({0}) < 12 {{ {0}[{2}] = {1} }}", "{0}.a = {1}",
                "delete({0}, {2})", "{0}.b ??= {1}", '{0}["a"] ??= {1}']),
            "point": self.rng.choice(["{0}.x = {1}", "{0}.y -= {1}", "{0}.x++",
                                      "{0}.moved({1}, dy: {3})"]),
            "bytes": self.rng.choice(["{0}[{3}] = ({1}) & 255",
                                      "if len({0}) < 20 {{ {0}.push(({1}) & 255) }}"]),
        }[kind].format(name, i, s, self.rng.randint(0, 2)))
        return None

    def change_object(self):
        """Declares a struct's instance, or changes one."""
        if not self.structs:
            return self.declare("int")
        struct = self.rng.choice(self.structs)
        name, value = self.pick(struct.name), self.expression("int", 2)
        if name is None:
            name = self.new_name("v")
            self.emit("%s := %s" % (name, self.construct(struct, 2)))
            self.names.append((name, struct.name))
            self.writable.add(name)
            return self.say("clip(str(%s)), %s is %s" % (name, name, struct.name))
        return self.emit("%s.%s %s %s" % (name, self.rng.choice(struct.fields),
                                          self.rng.choice(["=", "+%=", "^="]), value))

    def output(self):
        kinds = [self.rng.choice(["int", "int", "str", "float", "bool", "list",
                                  "strs", "map", "any"])
                 for _ in range(self.rng.randint(1, 3))]
        self.say('"%s", %s' % (
            self.new_name("o"), ", ".join(self.expression(kind) for kind in kinds)))

    def attempt(self):
        kind = self.rng.choice(["int", "any", "list", "str"])
        text = self.expression(kind, 4)
        self.say("try(func() => %s)" % text)

    def wrong(self):
        """What mostly panics."""
        text = self.rng.choice([
            "{int} + {str}", "{any} < {any}", "{list}[{int!}]", "panic({any!})",
            "assert({bool!}, {str!})", "assert({int} == {int})", "{any} * {any}",
            "({any}).nothing", "Point({int!}, {int!}, {int!})", "{any} & {any}",
            "({any!})({int!})", 'panic(error({str!}, cause: error("c")))',
            "passes({int!})", "lone({int!})", "risky({int!}, otherwise: {int!})", "panic(Fault({int!}))",
            "error({str!}, code: {any!})",
            "func() { defer risky({int!}); return {int!} }()", "{list}.try_map(risky)",
            "func() { defer func() { panic(Fault({int!})) }(); panic({str!}) }()",
            "func() { risky({int!}); return {int!} }()", "risky({int!})?",
            "{str}[{int!}:{int!}]", "{any}[{any!}]", "for_each({list!})",
            "(switch ({int!}) {{ case {Small}: ({int!}) }})", "clip(default: {any!})",
            "{list}.map(risky)", "map(default: {any!})", "math.ipow({int!}, {Shift})",
            "func() { try(risky, {int!}); return {int!} }()",
            "time.limit({Few} * 1h + 1h, func() => risky({int!}))"])
        text = self.fill(text.replace("for_each", "strings.to_upper"), 2)
        self.say("try(func() => %s)" % text)

    def leave(self):
        """return, break or continue; mostly under a condition."""
        word = self.leaving()
        if not word:
            return self.output()
        if self.chance(0.9):
            word = "if %s { %s }" % (self.head("bool"), word)
        self.emit(word)
        return None

    def leaving(self, words=("break", "continue")):
        """What leaves a loop, by one of the words or a label, or the function;
        nothing where there is none."""
        words = [*words] * bool(self.loops) + \
            [w + " " + label for label in self.labels for w in ("break", "continue")]
        if self.results is not None:
            words.append("return")
        word = self.rng.choice(words) if words else ""
        return "return " + self.result() if word == "return" and self.results else word

    def result(self):
        text = self.expression("int")
        if self.results == 1:
            return text
        if self.chance(0.2):
            return self.rng.choice(['nil, error("e%d")', 'nil, error("e", code: %d)']) % \
                self.rng.randint(0, 99)
        return text + ", nil"

    def defer(self):
        text = self.rng.choice([
            'println("d", {int!}, {str!})', "func() {{ recover() }}()",
            'func(a, b = {int!}) {{ println("d", a, b) }}({int!})'])
        text = self.fill(text.replace("println", "sink") if self.shared else text, 2)
        if self.chance(0.3):
            return self.block("defer {", lambda: self.own_function(
                self.statements, 0))
        self.emit("defer " + text)
        return None

    # -- calls
    def callable(self, results):
        return [f for f in self.functions
                if f.results == results and (f.shared or not self.shared) and
                (self.starts or not f.starts) and
                self.cost + f.cost * self.turns < MOST_COST]

    def arguments(self, f, depth):
        names = list(f.required)
        values = [self.expression("int", depth) for _ in names]
        form = self.rng.random()
        if f.recursive:  # the depth
            values[0] = str(self.rng.randint(0, 4))
            form = 1
        if form < 0.2:
            return "[%s]..." % ", ".join(values)
        if form < 0.4 and not f.rest:
            named = list(zip(names, values))
            if f.optional:
                named.append((f.optional, self.expression("int", depth)))
            self.rng.shuffle(named)
            return ", ".join("%s: %s" % pair for pair in named)
        if f.optional and self.chance(0.5):
            values.append(self.expression("int", depth))
            if f.rest and self.chance(0.7):
                values.append(self.expression("int", depth))
                values.append(self.expression("list", depth) + "...")
        return ", ".join(values)

    def call(self, depth):
        """A call of a function with one result, or None."""
        functions = self.callable(1)
        if not functions:
            return None
        f = self.rng.choice(functions)
        self.spend(f.cost)
        return "%s(%s)" % (f.name, self.arguments(f, min(depth, 1)))

    def call_pair(self):
        functions = self.callable(2)
        if not functions:
            return self.declare("int")
        f = self.rng.choice(functions)
        self.spend(f.cost)
        text = "%s(%s)" % (f.name, self.arguments(f, 1))
        a, b = self.new_name("v"), self.new_name("v")
        if self.results == 2 and self.chance(0.5):
            if f.shared and self.starts and not self.shared and self.chance(0.3):
                text = "(<-go %s)" % text
            self.emit("%s := %s?" % (a, text))
            self.names.append((a, "int"))
        elif self.chance(0.3):
            self.say('"p", try(func() => %s)' % text)
        elif self.chance(0.4):  # its error is dropped: a panic, or on purpose
            form = self.rng.choice([
                "_ = {0}", "_ = try(func() {{ {0} }})", "defer {{ _ = {0} }}",
                "_, {1} := try(func() {{ {0} }})",
                "_ = try(func() {{ defer {0}; _ = {0} }})",
                "_, {1} := try(func() {{ defer {0}; return error(\"first\") }})",
                "_, {1} := try(func() {{ try(func() => {0}) }})"])
            self.spend(f.cost)
            self.emit(form.format(text, a))
            if "{1}" in form:
                self.say(a)
        else:
            self.emit("%s, %s := %s" % (a, b, text))
            self.say("%s, %s" % (a, b))
        return None

    def closure(self):
        """A function that changes a variable around it, and calls of it."""
        name = self.new_name("c")
        target = self.pick("int")
        if target is None:
            return self.declare("int")
        parameter = self.new_name("a")

        def body():
            self.names.append((parameter, "int"))
            self.own_function(lambda: self.statements(0, 2), 1)
            self.emit("%s = (%s +%% %s) & 0xfffff" % (target, target, parameter))
            self.emit("return %s" % self.expression("int", 2))
        self.block("%s := func(%s) {" % (name, parameter), body, turns=3)
        self.say("%s(%s), %s(%s), %s" % (
            name, self.expression("int", 1), name, self.expression("int", 1), target))
        return None

    def closures(self):
        """One for each turn of a loop, called afterwards."""
        fs, i = self.new_name("fs"), self.new_name("i")
        self.emit("%s := []" % fs)

        def body():
            self.names.append((i, "int"))
            self.own_function(lambda: self.statements(0, 2), None)
            self.emit("%s.push(func(n) => n +%% %s)" % (fs, self.expression("int", 2)))
        turns = self.rng.randint(1, MOST_TURNS)
        self.block("for %s in %d {" % (i, turns), body, turns=2 * turns)
        self.say("try(func() => %s.map(func(f) => f(%s)))" % (
            fs, self.expression("int", 1)))

    # -- statements with blocks
    def initial(self):
        """What a head's variable begins with: a value, also of a statement."""
        if self.chance(0.6):
            return self.head("int")
        a, b = ("clip(%s)" % self.expression("int", 1) for _ in range(2))
        if self.chance(0.5):
            return "if %s { %s } else { %s }" % (self.head("bool"), a, b)
        return "switch %s { case %d: %s; default: %s }" % (
            self.head("int"), self.rng.randint(0, 2), a, b)

    def branch(self):
        head = self.head("bool")
        if self.chance(0.3):
            name = self.new_name("v")
            head = "%s := %s; %s %s %d" % (
                name, self.initial(), name,
                self.rng.choice(["<", ">=", "==", "!=", ">"]), self.rng.randint(0, 200))
        tail = self.rng.choice(["}", "} else {", "} else if"])
        if tail == "} else if":
            self.block("if %s {" % head, self.statements,
                       tail="} else if %s {" % self.head("bool"))
            self.continued()
        elif tail == "} else {":
            self.block("if %s {" % head, self.statements, tail=tail)
            self.continued()
        else:
            self.block("if %s {" % head, self.statements)

    def continued(self):
        """The block after a line that ends in {."""
        line = self.lines.pop().strip()
        self.block(line, self.statements)

    def loop(self):
        names, head = [], ""
        turns = self.rng.randint(1, MOST_TURNS)
        a, b, form = self.new_name("i"), self.new_name("i"), self.rng.randint(0, 10)
        if form == 0:
            names, head = [(a, "int")], "for %s in %d {" % (a, turns)
        elif form == 1:
            names = [(a, "int")]
            low = "0" if self.chance(0.7) else "if %s { 0 } else { 1 }" % self.head("bool")
            head = "for {0} := {2}; {0} < {1}; {0}++ {{".format(a, turns, low)
        elif form == 2:
            names = [(a, "int"), (b, "int")]
            head = "for %s, %s in clip(%s) {" % (a, b, self.expression("list"))
        elif form == 8:
            names = [(a, "int"), (b, "str")]
            head = "for (%s, %s) in [%s] {" % (a, b, ", ".join(
                "(%s, %s)" % (self.expression("int", 1), self.expression("str", 1))
                for _ in range(min(turns, 4))))
        elif form == 3:
            names = [(a, "str"), (b, "int")]
            head = "for %s, %s in %s {" % (a, b, self.expression("map", 1))
        elif form == 4:
            names = [(a, "int"), (b, "str")]
            head = "for %s, %s in clip(%s)[:3] {" % (a, b, self.operand("str", 2))
            head = head if self.chance(0.5) else "for %s, %s in clip(%s) {" % (
                a, b, self.expression("strs", 2))
        elif form == 5:
            low = self.rng.randint(-3, 300)
            names = [(a, "int")]
            head = "for %s in %d..=%d {" % (a, low, low + turns - 1)
        elif form == 10:
            step = self.rng.choice([1, 2, 5, 1 << 40, -1, -3])
            low = self.rng.randint(-3, 300)
            names = [(a, "int")]
            head = "for %s in (%d..%d).by(%d) {" % (a, low, low + turns * step, step)
        elif form == 6:
            self.emit("%s := 0" % a)
            names, head = [(a, "int")], "for %s < %d {" % (a, turns)
        elif form == 7:
            self.emit("%s := 0" % a)
            names, head = [(a, "int")], "for {"
        else:
            self.emit("{0} := func() {{ n := {1}; return func() {{ n--; "
                      "if n < 0 {{ return nil }}; return n }} }}()".format(a, turns))
            names, head = [(b, "int")], "for %s in %s {" % (b, a)
        label = ""
        if self.chance(0.2):
            label = self.new_name("loop")
            self.emit(label + ":")

        def body():
            self.names += names
            if form == 6:
                self.emit(a + "++")
            elif form == 7:
                self.emit("if {0}++; {0} > {1} {{ break }}".format(a, turns))
            self.statements(1, 4)
        self.loops += 1
        self.labels = self.labels + [label] if label else self.labels
        self.block(head, body, turns=max(turns, 4))
        self.labels = [at for at in self.labels if at != label]
        self.loops -= 1

    def switch(self):
        kind = self.rng.choice(["int", "int", "str", "any"])
        subject = self.head(kind)
        form = self.rng.random()
        if form < 0.3:
            name = self.new_name("v")
            first = self.initial() if kind == "int" else subject
            subject = "%s := %s; %s" % (name, first, name)
        head = "switch {" if form > 0.8 else "switch %s {" % subject
        self.emit(head)
        for _ in range(self.rng.randint(1, 5)):
            if form > 0.8:
                case = self.expression("bool", 2)
            elif self.chance(0.2):
                case = self.rng.choice(["is int", "is Point", "is string, nil", "is list",
                                        "is error"])
            else:
                case = ", ".join(self.expression(kind, 1)
                                 for _ in range(self.rng.randint(1, 3)))
            self.clause("case %s:" % case)
        if self.chance(0.7):
            self.clause("default:")
        self.emit("}")

    def clause(self, head, body=None):
        self.block(head, body or (lambda: self.statements(0, 2)))
        self.lines.pop()  # its brace

    def nested(self):
        """A block, or one inside a function that is called at once."""
        if self.chance(0.3):
            return self.block("{", self.statements)
        if self.chance(0.5):
            return self.block("func() {", lambda: self.own_function(
                lambda: self.statements(1, 5), 0), tail="}()")
        head = "sink" if self.shared else "println"
        return self.block(head + "(try(func() {", lambda: self.own_function(
            lambda: self.statements(1, 5), 0), tail="}))")

    LEAF = [(8, declare), (8, assign), (2, assign_many), (4, change), (6, output),
            (1, Values.apart), (0.5, Values.queue), (0.5, Values.traced), (3, attempt),
            (1, wrong), (2, leave), (1, defer), (2, call_pair)]
    NESTED = [(4, branch), (4, loop), (2, switch), (2, nested), (2, Values.value), (1, Values.counted),
              (0.7, Values.pairs), (1, closure),
              (1, closures)]
    CONCURRENT = [(0.5, Shapes.tasks), (0.5, Shapes.stream), (0.4, Shapes.pipeline),
                  (0.5, Shapes.group), (0.4, Shapes.selects), (0.3, Shapes.failing),
                  (0.3, Shapes.group_value), (0.3, Shapes.mutex),
                  (0.3, Shapes.latched), (0.3, Shapes.dropped),
                  (0.3, Shapes.ping_pong), (0.2, Shapes.full), (0.2, Shapes.cancelled),
                  (0.2, Shapes.collect), (0.2, Shapes.timers),
                  (0.4, Grown.appended), (0.3, Grown.appended_at_once)]

    # -- functions, structs, and the program
    def parameters(self, letter, most):
        """(names, how many need a value, as they are declared)"""
        names = [self.new_name(letter) for _ in range(self.rng.randint(1, most))]
        required = self.rng.randint(1, len(names))
        values = [self.rng.choice([
            "3", names[0], names[0] + " ^ 5", "(if %s > 3 { 1 } else { %s })" % (names[0], names[0]),
            "abs(switch %s { case 1, 2: 5; default: 6 })" % names[0]]) for _ in names]
        return names, required, ", ".join(names[:required] + [
            "%s = %s" % pair for pair in zip(names[required:], values)])

    def struct(self):
        name = self.new_name("S")
        fields, required, text = self.parameters("f", 6)
        made = Struct(name, fields, required)
        self.emit("struct %s { %s }" % (name, text))
        for _ in range(self.rng.randint(1, 3)):
            method = self.new_name("m")
            parameters, needed, text = self.parameters("p", 3)
            self.start_function(True)
            self.starts = False  # group members may call it
            self.names = [("s." + f, "int") for f in fields] + \
                [(p, "int") for p in parameters]
            self.emit("func (s %s) %s(%s) => %s" % (
                name, method, text, self.expression("int", 2)))
            made.methods[method] = parameters, needed
        self.structs.append(made)

    def start_function(self, shared):
        self.cost, self.turns, self.shared, self.depth = 0, 1, shared, 1
        self.names, self.writable, self.loops, self.labels = [], set(), 0, []
        self.starts = True
        if not shared:
            self.names = [("g1", "int"), ("g2", "str"), ("g3", "list"), ("g4", "map")]
            self.writable = {"g1", "g2", "g3", "g4"}

    def function(self, shared=None):
        rng, results = self.rng, self.rng.choice([1, 1, 2])
        shared = self.chance(0.6) if shared is None else shared
        recursive = results == 1 and self.chance(0.25)
        self.start_function(shared)
        name = self.new_name("r" if recursive else "f")
        required = [self.new_name("p") for _ in range(rng.randint(1, 3))]
        optional = self.new_name("p") if self.chance(0.5) else ""
        rest = self.new_name("p") if optional and self.chance(0.4) else ""
        listed = list(required)
        if optional:
            listed.append("%s = %s" % (optional, rng.choice([required[0], "7", "1 << 40"])))
        if rest:
            listed.append(rest + "...")
        wide = self.chance(0.2)

        def body():
            self.names += [(p, "int") for p in required + [optional] if p]
            self.names += [(rest, "list")] if rest else []
            self.writable |= set(required[1:])
            self.results = results
            if recursive:
                self.emit("if %s <= 0 { return %s }" % (
                    required[0], self.expression("int", 1)))
            if wide:
                self.widen()
            self.statements(2, 12)
            if recursive:
                self.recursion(name, required)
            self.emit("return " + self.result())
        first = len(self.lines)
        self.block("func %s(%s) {" % (name, ", ".join(listed)), body)
        text = "\n".join(self.lines[first:])
        starts = re.search(r"\bgo\b", text) is not None or any(
            f.starts and f.name + "(" in text for f in self.functions)
        cost = self.cost * (5 if recursive else 1) + 1
        self.functions.append(Function(name, required, optional, rest, results,
                                       cost, shared, starts))

    def recursion(self, name, required):
        others = "".join(", " + self.expression("int", 1) for _ in required[1:])
        v = self.new_name("v")
        again = "%s(%s - 1%s)" % (name, required[0], others)
        if not self.shared and self.chance(0.2):
            again = "<-go " + again
        self.emit("%s := %s" % (v, again))
        self.names.append((v, "int"))

    def widen(self):
        """Many variables and constants: operands get high numbers."""
        first = self.names[-1][0]
        if self.chance(0.6):
            n = self.rng.choice([120, 200, 256, 300])
            for at in range(0, n, 20):
                self.emit("if %s { sink() }" % " || ".join(
                    '%s == "k%d"' % (first, k) for k in range(at, min(at + 20, n))))
        if self.chance(0.7):
            for _ in range(self.rng.randint(40, 170)):
                name = self.new_name("w")
                self.emit("%s := %s" % (name, self.expression("int", 1)))
                self.names.append((name, "int"))
                self.writable.add(name)

    def main(self):
        for _ in range(self.rng.randint(2, 7)):
            self.start_function(False)
            self.results = 0
            name = self.new_name("main")
            self.block("func %s() {" % name, lambda: self.statements(3, 14))
            self.emit("println(try(%s))" % name)
        for f in self.functions:
            for _ in range(2):
                self.start_function(False)
                arguments = "".join(", " + self.rng.choice(
                    ["%d" % self.rng.randint(-5, 5), "1.5", '"s"', "0", "1 << 62"])
                    for _ in f.required)
                if f.recursive:
                    arguments = ", %d" % self.rng.randint(0, 4) + \
                        arguments[arguments.find(",", 1):] * (len(f.required) > 1)
                self.emit("println(try(%s%s))" % (f.name, arguments))
        self.emit("println(clip(str(g1)), clip(g2), clip(g3), len(g4))")
