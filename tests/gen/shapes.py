# SPDX-License-Identifier: MIT
"""Concurrency of mixed programs: shapes whose output the program fixes.

A goroutine's body reads its own parameters and constants alone, and calls
functions that do. What it gives comes back in an order that is fixed (a task
that is awaited, one sender and one receiver), or so that the order does not
matter (sorted, added up). The members of a group start no goroutine and call
no function that does, because of several that fail, the first one decides what
the group gives."""


class Shapes:
    """A part of mixed.Maker."""

    def task(self, depth):
        """`<-go f(...)` as an expression, or None."""
        functions = [f for f in self.callable(1) if f.shared]
        if not self.starts or not functions or not self.spend(functions[0].cost + 2):
            return None
        f = functions[0]
        return "(<-go %s(%s))" % (f.name, self.arguments(f, min(depth, 1)))

    def alone(self, body, grouped=False):
        """Makes the body of a goroutine: it sees names that it is given."""
        keep = self.names, self.writable, self.shared, self.starts
        self.names, self.writable, self.shared = [], set(), True
        self.starts = self.starts and not grouped
        self.own_function(body, None)
        self.names, self.writable, self.shared, self.starts = keep

    def work(self, *parameters):
        """Statements, and then an expression that does not panic."""
        self.names += [(p, "int") for p in parameters]
        for _ in range(self.rng.randint(0, 3)):
            self.quiet()
        text = self.expression("int", 3)
        return "(try(func() => %s) is list)" % text if self.chance(0.05) else text

    def quiet(self):
        """A statement that prints nothing, below a try."""
        v = self.new_name("v")
        self.emit("%s, _ := try(func() => %s)" % (v, self.expression("int", 2)))
        self.emit("%s ??= %d" % (v, self.rng.randint(0, 99)))
        self.names.append((v, "int"))
        if self.chance(0.3):
            self.emit(self.rng.choice(["sched.yield()", "sched.gc()", "sleep(0)"]))

    def safe(self, e):
        return "(func() { v, _ := try(func() => %s); return v ?? 0 }())" % e

    def tasks(self):
        if not self.spend(8):
            return
        ts, i, a = self.new_name("ts"), self.new_name("i"), self.new_name("a")
        n = self.rng.randint(1, 6)
        self.emit("%s := []" % ts)
        self.emit("for %s in %d {" % (i, n))
        self.indent += 1

        def body():
            self.names.append((a, "int"))
            if self.chance(0.3):
                self.emit("defer func() { %s }()" % self.rng.choice(
                    ["recover()", "sched.yield()"]))
            self.emit("return " + self.work())
        self.block("%s.push(go func(%s) {" % (ts, a), lambda: self.alone(body),
                   turns=n, tail="}(%s))" % i)
        self.indent -= 1
        self.emit("}")
        t = self.new_name("t")
        order = self.rng.choice([ts, ts, "copy(%s).reverse()" % ts])
        self.emit("for %s in %s { println(try(func() => <-%s)) }" % (t, order, t))
        if self.chance(0.2):
            self.emit("println(try(func() => <-%s[0]), try(func() => <-%s[0]))" % (ts, ts))

    def stream(self):
        """One sender, one receiver."""
        if not self.spend(8):
            return
        c, i, v = self.new_name("c"), self.new_name("i"), self.new_name("v")
        n, room = self.rng.randint(1, 9), self.rng.choice([0, 0, 1, 3, 9])
        self.emit("%s := %s" % (c, self.rng.choice(
            ["chan(%d)" % room, "chan(%d)" % room, "chan(grow: %d)" % (room + 1)])))

        def body():
            self.emit("defer close(%s)" % c)
            self.emit("for %s in %d {" % (i, n))
            self.indent += 1
            e = self.work(i)
            self.emit("%s <- %s" % (c, self.safe(e)))
            self.indent -= 1
            self.emit("}")
        self.block("go func() {", lambda: self.alone(body), turns=n, tail="}()")
        form = self.rng.randint(0, 2)
        if form == 0:
            self.emit('for %s in %s { print(%s, "") }' % (v, c, v))
            self.emit("println()")
        elif form == 1:
            self.emit("println(list(%s), len(%s))" % (c, c))
        else:
            self.emit("for { %s, ok := <-%s; if !ok { break }; println(%s) }" % (v, c, v))

    def pipeline(self):
        if not self.spend(10):
            return
        stages, n = self.rng.randint(1, 4), self.rng.randint(1, 6)
        first = self.new_name("c")
        self.emit("%s := chan(%d)" % (first, self.rng.randint(0, 2)))
        self.emit("go { for i in %d { %s <- i }; close(%s) }" % (n, first, first))
        for _ in range(stages):
            c, v = self.new_name("c"), self.new_name("v")
            self.emit("%s := chan(%d)" % (c, self.rng.randint(0, 2)))

            def body(c=c, v=v, first=first):
                self.emit("for %s in %s {" % (v, first))
                self.indent += 1
                e = self.work(v)
                self.emit("%s <- %s" % (c, self.safe(e)))
                self.indent -= 1
                self.emit("}")
                self.emit("close(%s)" % c)
            self.block("go {", lambda body=body: self.alone(body), turns=n)
            first = c
        self.emit("println(list(%s))" % first)

    def group(self):
        """Members that send; what came is sorted."""
        if not self.spend(8):
            return
        c, i, n = self.new_name("c"), self.new_name("i"), self.rng.randint(1, 6)
        self.emit("%s := chan(%d)" % (c, n))

        def member():
            self.emit("%s <- int(%s)" % (c, self.safe(self.work(i))))
        self.emit("group {")
        self.emit("  for %s in %d {" % (i, n))
        self.indent += 2
        self.block("go {", lambda: self.alone(member, grouped=True), turns=n)
        self.indent -= 2
        self.emit("  }")
        if self.chance(0.3):
            self.emit("  group { go { sched.yield() } }")
        self.emit("}")
        self.emit("close(%s)" % c)
        self.emit("println(list(%s).sort())" % c)

    def selects(self):
        a, b, v = self.new_name("c"), self.new_name("c"), self.new_name("v")
        form = self.rng.randint(0, 7)
        e = self.safe(self.expression("int", 2))
        if form > 3:
            return self.sends(form, a, b, v, e)
        self.emit("%s, %s := chan(2), chan(2)" % (a, b))
        if form == 0:
            self.emit("%s <- %s" % (a, e))
            self.emit("%s <- 1" % b)
            self.emit("select prio {")
            self.emit("case %s := <-%s: println(%s)" % (v, b, v))
            self.emit("case %s := <-%s: println(%s)" % (v, a, v))
            self.emit("}")
        elif form == 1:
            self.emit("select {")
            self.emit("case %s, ok := <-%s: println(%s, ok)" % (v, a, v))
            self.emit("case <-%s: println()" % b)
            self.emit('default: println("none", %s)' % e)
            self.emit("}")
        elif form == 2:
            self.emit("close(%s)" % a)
            self.emit("%s := go func() => %s" % (b + "t", e)
                      if False else "%st := go func() { return 5, nil }()" % b)
            self.emit("<-%st" % b)
            self.emit("select prio {")
            self.emit("case %s, ok := <-%s: println(%s, ok, %s)" % (v, a, v, e))
            self.emit("case %s, ok := <-%st: println(%s, ok)" % (v, b, v))
            self.emit("}")
        else:
            self.merge(a, b, v)
        return None

    def sends(self, form, a, b, v, e):
        """Selects that send. One case can go on, or they hand on all."""
        n = self.rng.randint(1, 5)
        if form == 4:
            self.emit("%s := chan(%d)" % (a, self.rng.randint(0, 3)))
            self.emit("for i in %d {" % n)
            self.emit("  select {")
            self.emit('  case %s <- i + %s: print("sent", len(%s), "")' % (a, e, a))
            self.emit('  default: print("full", i, "")')
            self.emit("  }")
            self.emit("}")
            self.emit("close(%s)" % a)
            self.emit("println(list(%s))" % a)
        elif form == 5:
            self.emit("%s, %s := chan(), chan(1)" % (a, b))
            self.emit("select%s {" % self.rng.choice(["", " prio"]))
            self.emit('case %s <- 1: println("nobody")' % a)
            self.emit("case nil <- 2: println()")
            self.emit("case %s <- %s: println(<-%s)" % (b, e, b))
            self.emit("}")
        elif form == 6:
            self.emit("%s, %s := chan(), chan()" % (a, b))
            self.emit("%s := go func() { return [<-%s, %d] }()" % (v, a, n))
            self.emit("select {")
            self.emit("case %s <- %s: println(<-%s)" % (a, e, v))
            self.emit("case x := <-%s: println(x)" % b)
            self.emit("}")
        else:
            self.hand_on(n, a, b, v)

    def hand_on(self, n, a, b, v):
        """One select that sends what another goroutine sends back."""
        out = self.new_name("c")
        self.emit("%s, %s := chan(%d), chan(%d)" % (
            a, b, self.rng.randint(0, 2), self.rng.randint(0, 2)))
        self.emit("go { for x in %s { %s <- x * 3 }; close(%s) }" % (a, b, b))
        self.emit("%s, %s := %s, 0" % (out, v, a))
        self.emit("for sent, got := 0, 0; got < %d; {" % n)
        self.emit("  select {")
        self.emit("  case %s <- sent:" % out)
        self.emit("    if sent++; sent == %d { %s = nil }" % (n, out))
        self.emit("  case x := <-%s: %s, got = %s + x, got + 1" % (b, v, v))
        self.emit("  }")
        self.emit("}")
        self.emit("close(%s)" % a)
        self.emit("println(%s, <-%s)" % (v, b))

    def merge(self, a, b, v):
        """Two senders, one select in a loop; the sum is printed."""
        n = self.rng.randint(1, 5)
        self.emit("go { for i in %d { %s <- i }; close(%s) }" % (n, a, a))
        self.emit("go { for i in %d { %s <- i * 7 }; close(%s) }" % (n, b, b))
        self.emit("%s := 0" % v)
        self.emit("for %s != nil || %s != nil {" % (a, b))
        self.emit("  select {")
        for c in (a, b):
            self.emit("  case x, ok := <-%s:" % c)
            self.emit("    if !ok { %s = nil } else { %s += x }" % (c, v))
        self.emit("  case <-after(100s): println(\"late\")")
        self.emit("  }")
        self.emit("}")
        self.emit("println(%s)" % v)

    def failing(self):
        """A group of which one member fails."""
        fault = self.rng.choice(['panic("p%d")', 'return error("r%d")',
                                 "println([][%d])", 'panic(error("q%d"))'])
        self.emit("println(try(func() {")
        self.emit("  group {")
        for _ in range(self.rng.randint(0, 2)):
            self.emit("    go { sleep(1h) }")
        self.emit("    go func() { %s }()" % (fault % self.rng.randint(0, 9)))
        self.emit("    %s" % self.rng.choice(["sleep(1h)", "sched.yield()", "<-chan()"]))
        self.emit("  }")
        self.emit("}))")

    def group_value(self):
        """A group that gives an error, or nil."""
        e = self.new_name("e")
        function, back = "println(try(func() {\n", "\n  return [%s]\n}))" % e
        begin, end = self.rng.choice([
            ("println(try(func() => group g {", "}))"),
            ("println(try(func() { return [1, (group g {", "}), 2] }))"),
            (function + e + " := group g {", "}" + back),
            (function + "%s := 0\n%s = group g {" % (e, e), "}" + back),
            (function + "var %s = group g {" % e, "}" + back),
            (function + "const %s = group g {" % e, "}" + back),
            (function + "return group g {", "}\n}))"),
            ("println(try(func() => str(group g {", "})))")])
        i = self.new_name("i")
        self.emit(begin)
        self.emit("  for %s in %d { go { sleep(%s * 1h) } }" % (
            i, self.rng.randint(0, 3), i))
        self.emit("  %s" % self.rng.choice(
            ["go { return error(\"e\") }", "g.timeout(1ms); go { sleep(9h) }",
             "g.patience(1ms); g.cancel(); go { for { } }",
             "g.cancel()", "go { panic(\"p\") }", "g.cancel(); sleep(1h)",
             "g.timeout(1ms); sleep(9h)"]))
        self.emit(end)

    def mutex(self):
        m, n, i = self.new_name("m"), self.new_name("n"), self.new_name("i")
        e = self.safe(self.expression("int", 1))
        made, adds = self.rng.choice([
            ("chan(1)", "{m} <- true; {n} += {i}; <-{m}"),
            ("sync.mutex()", "{m}.lock(); {n} += {i}; {m}.unlock()"),
            ("sync.mutex()", "for !{m}.try_lock() {{ sched.yield() }}; {n} += {i}; {m}.unlock()"),
            ("sync.mutex()", "{m}.with(func() {{ {n} += {i} }})"),
            ("sync.rwmutex()", "{m}.read(func() => {n}); {m}.with(func() {{ {n} += {i} }})"),
            ("sync.semaphore(1)", "{m}.acquire(); sched.yield(); {n} += {i}; {m}.release()"),
            ("sync.counter(0)", "{m}.add({i}); {n} = min({m}.get(), 0)"),
            ("sync.once()", "{m}.do(func() {{ {n} += 5 }})")])
        self.emit("%s, %s := %s, 0" % (m, n, made))
        self.emit("group {")
        self.emit("  for %s in %d {" % (i, self.rng.randint(1, 6)))
        self.emit("    go { %s }" % adds.format(m=m, n=n, i=i))
        self.emit("  }")
        self.emit("}")
        self.emit("println(%s, %s)" % (n, e))

    def latched(self):
        """A latch that opens when all are there, and a lock that is held."""
        if not self.spend(8):
            return
        l, c, i = self.new_name("l"), self.new_name("c"), self.new_name("i")
        n = self.rng.randint(0, 5)
        self.emit("%s, %s := sync.latch(%d), chan(%d)" % (l, c, n, n))
        self.block("for %s in %d {" % (i, n), lambda: self.block("go {", lambda: self.alone(lambda: (
            self.emit("%s <- int(%s)" % (c, self.safe(self.work(i)))),
            self.emit("%s.done()" % l))), turns=n + 1))
        self.emit("%s.wait()" % l)
        self.emit("close(%s)" % c)
        self.emit("println(list(%s).sort(), try(%s.done))" % (c, l))
        m = self.new_name("m")
        self.emit("%s := sync.mutex()" % m)
        self.emit("println(%s.try_lock(), %s.try_lock(), <-go %s.try_lock())" % (m, m, m))
        self.emit("%s.unlock()" % m)

    def dropped(self):
        """A goroutine whose call may give an error, which it drops or not."""
        t, n = self.new_name("t"), self.rng.randint(0, 9)
        self.emit("%s := go %s" % (t, self.rng.choice(
            ["{ _ = risky(%d) }", "{ _ = risky(%d) }", "{ risky(%d) }", "risky(%d)"]) % n))
        self.emit("println(try(func() { %s<-%s }))" % (self.rng.choice(["", "_ = "]), t))

    def ping_pong(self):
        a, b, n = self.new_name("c"), self.new_name("c"), self.rng.randint(1, 6)
        self.emit("%s, %s := chan(), chan()" % (a, b))
        self.emit("go { for v in %s { %s <- v * 3 }; close(%s) }" % (a, b, b))
        self.emit('for i in %d { %s <- i; print(<-%s, "") }' % (n, a, b))
        self.emit("close(%s)" % a)
        self.emit("println(<-%s)" % b)

    def full(self):
        c = self.new_name("c")
        self.emit('%s := chan(%d, drop: "oldest")' % (c, self.rng.randint(1, 3)))
        self.emit("for i in %d { %s <- i }" % (self.rng.randint(0, 5), c))
        self.emit("close(%s)" % c)
        self.emit("println(len(%s), list(%s))" % (c, c))

    def timers(self):
        """A timer that is stopped and reset, a goroutine that waits for it, and
        nothing stale."""
        t, w = self.new_name("t"), self.new_name("w")
        self.emit("%s := timer(%s)" % (t, self.rng.choice(["0", "1h", "10us"])))
        self.emit("println(%s.%s, %s.stop())" % (
            t, self.rng.choice(["stop()", "reset(1h)", "reset(0)"]), t))
        self.emit("%s := go func() { <-%s; return %d }()" % (w, t, self.rng.randint(0, 9)))
        for _ in range(self.rng.randint(0, 2)):
            self.emit(self.rng.choice(["sched.yield()", "sched.gc()", "sleep(0)"]))
        self.emit("println(%s.reset(%s), <-%s)" % (
            t, self.rng.choice(["0", "10us"]), w))
        self.emit("select {")
        self.emit("case <-%s: println(\"stale\")" % t)
        self.emit("default: println(%s.reset(1h), %s.stop())" % (t, t))
        self.emit("}")

    def cancelled(self):
        c, i = self.new_name("c"), self.new_name("i")
        self.emit("%s := chan(4)" % c)
        self.emit("group g {")
        self.emit("  for %s in 3 {" % i)
        self.emit("    go {")
        self.emit("      defer { %s <- \"gone\" }" % c)
        self.emit("      sleep(%s * 1h)" % i)
        self.emit("      g.cancel()")
        self.emit("    }")
        self.emit("  }")
        self.emit("}")
        self.emit("println(len(%s))" % c)

    def collect(self):
        """Garbage, and what must survive it."""
        xs, i = self.new_name("xs"), self.new_name("i")
        self.emit("%s := []" % xs)
        self.emit("for %s in 6 { %s.push({k: [\"${%s}\", %s * 1.1e300]}) }" % (i, xs, i, i))
        self.emit("sched.gc()")
        self.emit("println(clip(%s))" % xs)
