# SPDX-License-Identifier: MIT
"""Strings that grow by appending, in variables, fields, maps and lists, while
older values are kept, looked at and appended to; and goroutines that append to
the same one."""

PLACES = {"%s": '%s := "<"', "%s[0]": '%s := ["<", ""]', "%s.text": '%s := {text: "<"}'}
LOOKS = ["{0}.has_suffix({1})", "{0}.count({1}) & 7", "{0}[len({0}) / 2:]", "{0} == {0}[:len({0}) - 1]",
         "bytes({0}).hex()", "{{[{0}]: 1}}[{0} + \"\"]", "\"${{{0}}}\" < {0}", "{0}.split({1}).map(len)",
         "{0}.to_upper() == {0}", "[{0}, {1}].sort()[0] == {0}"]


class Grown:
    def appended(self):
        """In a loop; what it is in the end is known."""
        if not self.spend(30):
            return
        name, old, piece, i = (self.new_name(letter) for letter in "sopi")
        place = self.rng.choice(list(PLACES))
        turns, s = self.rng.randint(20, 90), place % name
        self.emit('%s := clip(%s) + "."' % (piece, self.expression("str", 2)))
        self.emit('%s := [""]' % old)
        self.emit(PLACES[place] % name)
        grow = self.rng.choice(["{0} += {1}", "{0} = {0} + {1}", "func() {{ {0} += {1} }}()"])

        def body():
            self.emit(grow.format(s, piece))
            self.emit("if %s %% %d == 0 { %s.push(%s) }" % (i, self.rng.randint(2, 9), old, s))
            if self.chance(0.6):
                look = self.rng.choice(LOOKS).format(s, piece)
                self.emit("if %s %% %d == 3 { print(sink(%s), \"\") }" % (i, self.rng.randint(4, 30), look))
            if self.chance(0.4):
                self.emit('%s[len(%s) - 1] += "%s"' % (old, old, self.rng.choice("xyz")))
        self.block("for %s in %d {" % (i, turns), body)
        self.emit('println(%s == "<" + %s.repeat(%d), %s.map(len), sink(%s))' % (s, piece, turns, old, old))

    def appended_at_once(self):
        """By goroutines that all begin with one string."""
        if not self.spend(30):
            return
        s, tasks, i = self.new_name("s"), self.new_name("ts"), self.new_name("i")
        length, turns = self.rng.randint(100, 400), self.rng.randint(1, 60)
        self.emit('%s, %s := "", []' % (s, tasks))
        self.emit('for %s in %d { %s += "%s" }' % (i, length, s, self.rng.choice("abc")))
        self.block("for %s in %d {" % (i, self.rng.randint(2, 5)), lambda: (
            self.emit("%s.push(go func() {" % tasks),
            self.emit("  own := %s" % s),
            self.emit('  for turn in %d { own += "${%s}" }' % (turns, i)),
            self.emit("  return own == %s + \"${%s}\".repeat(%d)" % (s, i, turns)),
            self.emit("}())")))
        self.emit("println(%s.map(func(t) => <-t), len(%s))" % (tasks, s))
