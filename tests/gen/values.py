# SPDX-License-Identifier: MIT
"""Statements that have a value (`if`, `switch`, `group`), and what takes values
apart or keeps them: lists and tuples with names, pairs, maps with a default,
queues, and the places that an error remembers."""


class Values:
    """A part of mixed.Maker."""

    def value(self):
        """An `if` or `switch` whose branches do things and give a value."""
        kind = self.rng.choice(["int", "int", "str", "list", "tuple", "map"])
        old = self.pick(kind) if self.chance(0.3) else None
        new = "" if old else self.new_name("v")
        form = self.rng.choice(["%s := ", "%s := ", "var %s = ", "const %s = "])
        begin = old + " = " if old else form % new
        if self.results == 1 and self.chance(0.05):
            kind, new, begin = "int", "", "return "

        def give(leaves=""):
            keep = self.loops, self.labels  # no `break` of this switch
            self.loops, self.labels = 0, []
            self.statements(0, 2)
            if leaves:
                self.emit(leaves)
            else:
                self.emit("({a: %s})" % self.expression("int", 1) if kind == "map"
                          else "clip(%s)" % self.expression(kind, 2))
            self.loops, self.labels = keep
        if self.chance(0.15) and not old and "return" not in begin:
            self.fits_none(begin, new, give)
            return
        if self.chance(0.6):
            self.block(begin + "if %s {" % self.head("bool"), self.branch_of(give), tail="} else {")
            if self.chance(0.3):
                head = self.lines.pop().strip()[:-1] + "if %s {" % self.head("bool")
                self.block(head, self.branch_of(give), tail="} else {")
            self.block(self.lines.pop().strip(), give)
        else:
            self.emit(begin + "switch %s {" % self.head("int"))
            for _ in range(self.rng.randint(0, 3)):
                self.clause("case %s:" % self.expression("int", 1),
                            self.branch_of(give, ["continue"]))
            self.clause("default:", give)
            self.emit("}")
        if new:
            self.names.append((new, kind))
            self.writable |= {new} if "const" not in begin else set()

    def branch_of(self, give, words=("break", "continue")):
        """A branch with a value, or which leaves the loop or function."""
        leaves = self.leaving(words) if self.chance(0.2) else ""
        return lambda: give(leaves)

    def fits_none(self, begin, new, give):
        """A `switch` of which no case may fit: it panics in a `try`."""
        name, turn = self.new_name("v"), self.new_name("x")

        def body():
            self.emit(begin + "switch %s {" % turn)
            for _ in range(self.rng.randint(1, 2)):
                self.clause("case %s:" % self.special("Small", 0), give)
            self.emit("}")
            self.emit("return " + new)
        self.block("%s, _ := try(func(%s) {" % (name, turn), lambda: self.own_function(
            body, None), tail="}, %s)" % self.expression("int", 1))
        self.say(name)

    def apart(self):
        """A list or tuple, whose elements get names."""
        names = [self.rng.choice([self.new_name("e"), self.new_name("e"), "_"])
                 for _ in range(self.rng.randint(1, 3))]
        rest = self.new_name("e") if self.chance(0.5) or set(names) == {"_"} else ""
        more = self.rng.randint(0, 2) if rest else 0
        values = ", ".join(self.expression("int", 2) for _ in range(len(names) + more))
        self.emit("[%s] := %s" % (
            ", ".join(names + [rest + "..."] * bool(rest)),
            self.rng.choice(["[%s]", "(%s,)", "tuple([%s])"]) % values))
        self.names += [(n, "int") for n in names if n != "_"] + [(rest, "list")] * bool(rest)

    def counted(self):
        """A map that has a default."""
        m, c = self.new_name("m"), self.new_name("i")
        self.emit("%s := map(%sdefault: %d)" % (
            m, self.rng.choice(["", "{a: 1}, "]), self.rng.randint(0, 9)))
        self.emit("for %s in clip(%s) { %s[%s] += 1 }" % (
            c, self.expression("str", 2), m, c))
        for _ in range(self.rng.randint(1, 3)):
            self.emit(self.rng.choice([
                "{0}.a++", "{0}.b -= {1}", "{0}.c ??= {1}", "delete({0}, {2})",
                "{0} = copy({0})", "{0}[({1}, {2})] += {1}",
                "{0}[(1,)] += {1}; {0}[(1.0,)] -= {0}[(1,)] & {1}"]).format(
                    m, self.expression("int", 1), self.expression("str", 1)))
        self.say("%s, %s.none, %s in %s" % (m, m, self.expression("str", 1), m))
        if self.chance(0.4):
            v, ok = self.new_name("v"), self.new_name("ok")
            self.emit("%s, %s := %s[%s]" % (v, ok, m, self.expression("str", 1)))
            self.say("%s, %s" % (v, ok))
        self.names.append((m, "map"))

    def pairs(self):
        """A loop that takes each element apart."""
        a, b, of = self.new_name("i"), self.new_name("i"), self.new_name("ps")
        pairs = ["(%s, %s)" % (self.expression("int", 1), self.expression("str", 1))
                 for _ in range(self.rng.randint(1, 4))]
        form = self.rng.randint(0, 3)
        if form == 0:
            self.emit("%s := [%s]" % (of, ", ".join(pairs)))
        elif form == 1:
            self.emit("%s := chan(4)" % of)
            for pair in pairs:
                self.emit("%s <- %s" % (of, pair))
            self.emit("close(%s)" % of)
        elif form == 2:
            self.emit("{0} := func() {{ n := {1}; return func() {{ n--; if n < 0 {{ return nil }}; "
                      "return (n, str(n)) }} }}()".format(of, len(pairs)))
        else:
            self.emit("%s := func() => [%s]" % (of, ", ".join(pairs)))
            of += "()"

        def body():
            self.names += [(a, "int"), (b, "str")]
            self.statements(0, 3)
            self.say("%s, %s" % (a, b))
        self.loops += 1
        self.block("for (%s, %s) in %s {" % (a, b, of), body, turns=4)
        self.loops -= 1

    def queue(self):
        """A list that is filled at its end and emptied at its beginning."""
        if not self.spend(20):
            return
        q, i, s = self.new_name("q"), self.new_name("i"), self.new_name("s")
        self.emit("%s, %s := %s, 0" % (q, s, self.rng.choice(["[]", "[1, 2]", "list(0..40)"])))
        self.emit("for %s in %d {" % (i, self.rng.randint(1, 90)))
        self.emit("  %s.push(%s)" % (q, i))
        self.emit("  if %s %% %d != 0 { %s = %s *%% 31 +%% %s.remove(0) }" % (
            i, self.rng.randint(1, 4), s, s, q))
        self.emit(self.rng.choice(["  if len({0}) > 7 {{ {0}.insert(0, {1}) }}", ""]).format(q, i))
        self.emit("}")
        self.say("%s, len(%s), clip(%s[:3])" % (s, q, q))

    def traced(self):
        """How many places an error remembers, that came through some `?`."""
        if not self.spend(20):
            return
        f, e = self.new_name("f"), self.new_name("e")
        self.emit("%s := nil" % f)
        self.emit("%s = func(n) {" % f)
        self.emit("  if n <= 0 { return nil, error(%s) }" % self.expression("str", 1))
        self.emit("  v := %s(n - 1)?" % f)
        self.emit("  return v, nil")
        self.emit("}")
        self.emit("_, %s := %s(%d)" % (e, f, self.rng.choice([0, 1, 5, 30, 31, 32, 60])))
        self.say("%s.message, len(%s.trace), %s.trace is list" % (e, e, e))

