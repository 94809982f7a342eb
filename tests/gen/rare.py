# SPDX-License-Identifier: MIT
"""Forms of the language that few programs use, and how a program ends. The
forms are several targets, labels of all kinds, loops over all kinds, defers in
loops and in each other, local functions, `?` in all places, comments and lines
that go on."""

KEYWORDS = ["case", "default", "go", "if", "in", "is", "select", "struct", "switch", "var"]


class Rare:
    """A part of mixed.Maker."""

    def put(self, text, **names):
        """The template's lines, with these names in <x> first."""
        for key, name in names.items():
            text = text.replace("<%s>" % key, name)
        text = text.replace("println", "sink") if self.shared else text
        for line in self.fill(text, 1).split("\n"):
            self.emit(line)

    def several(self):
        """var and const of none, one and several values."""
        a, b = self.new_name("v"), self.new_name("v")
        text = self.rng.choice([
            "var <a>\nprintln(<a>)\n<a> = {int}\nvar <b> = <a>", "var <a>, <b>\n<a>, <b> = {int}, {int}",
            "var <a>, <b> = {int!}, {int!}", "const <a>, <b> = {int!}, {int!}",
            "var <a>, <b> = func() {{ return {int!}, {int!} }}()",
            "const <a>, <b> = func() {{ return {int!}, {int!} }}()"])
        self.put(text, a=a, b=b)
        self.names += [(a, "int"), (b, "int")]
        self.writable |= set() if text.startswith("const") else {a, b}

    def targets(self):
        """Assignments to several elements and fields."""
        xs, m, i, p, c = (self.new_name(letter) for letter in "xmipc")
        self.put("<xs>, <m>, <i> := [{int!}, {int!}, {int!}], {{}}, 0", xs=xs, m=m, i=i)
        for _ in range(self.rng.randint(1, 4)):
            self.put(self.rng.choice([
                "<xs>[0], <xs>[2] = <xs>[2], <xs>[0]", "<i>, <xs>[<i>] = {Few}, {int}",
                '<m>.a, <m>["b"], <xs>[1] = {int}, {int}, <xs>[0]', "<xs>[<i> % 3] += 1",
                "<xs>[0], <m>.ok = func() {{ return {int!}, {int!} }}()", "<xs>[1], <m>.ok = <m>[{str!}]",
                "<xs>[<i> % 3], <xs>[0], <i> = <i>, <i>, <i> + 1", "<m>.n ??= {int}; <m>.n *%= 3",
                "{{ <p> := Point({int!}); <p>.x, <p>.y = <p>.y, <p>.x; println(<p>) }}",
                "{{ <c> := chan(2); <c> <- {int!}; <xs>[2], <m>.c = <-<c>; close(<c>); _, <m>.d = <-<c> }}",
            ]), xs=xs, m=m, i=i, p=p, c=c)
        self.put("println(<xs>, <m>, <i>)", xs=xs, m=m, i=i)

    def labelled(self):
        """A loop in a switch or a select, which it may leave by its label."""
        label, c, i = self.new_name("out"), self.new_name("c"), self.new_name("i")
        heads = self.rng.choice([
            ("switch %s {" % self.head("int"), ["case %s:" % self.expression("int", 1), "default:"]),
            ("switch {", ["case %s, %s:" % (self.expression("bool", 1), self.expression("bool", 1)),
                          "default:"]),
            ("select {", ["case {0} <- 1:", "case x, ok := <-{0}:"]), ("select prio {", ["case <-{0}:", "default:"]),
            ("select {", ["case <-{0}:", "default:"])])
        if heads[0].startswith("select"):
            self.emit("%s := chan(1)" % c)
        self.emit(label + ":")
        self.emit(heads[0])

        def body():
            self.loops += 1
            self.block("for %s in 3 {" % i, lambda: (
                self.names.append((i, "int")), self.statements(0, 2),
                self.emit("if %s { break %s }" % (self.head("bool"), label)),
                self.say('"in", %s' % i)), turns=3)
            self.loops -= 1
        for case in heads[1]:
            self.clause(case.replace("{0}", c), body)
        self.emit("}")

    def over(self):
        """Loops over each kind, with one name and two. Heads lack parts."""
        i, v, f = self.new_name("i"), self.new_name("v"), self.new_name("f")
        function = "<f> := {Few}\ng<f> := func() {{ <f>--; return if <f> < 0 {{ nil }} else {{ (<f>, {int!}) }} }}"
        channel = "<f> := chan(9)\nfor <i> in 3 {{ <f> <- (<i>, {int!}) }}\nclose(<f>)"
        before, head, first = self.rng.choice([
            ("", "for <i> in {tuple}", ""), ("", "for <i>, <v> in {tuple}", ""), ("", "for <i>, <v> in {Few}", ""),
            ("", "for <i>, <v> in bytes(clip({str!}))", ""), ("", "for <i>, <v> in 5..8", ""),
            ("", "for _, <v> in clip({list!})", ""), ("", "for <i> in bytes(clip({str!}))", ""),
            ("", "for <i>, _ in clip({str!})", ""), ("", "for <i> in func() => nil", ""),
            (channel, "for <i>, <v> in <f>", ""), (channel, "for (<i>, <v>,) in <f>", ""),
            (function, "for <i>, <v> in g<f>", ""), (function, "for (<i>, _) in g<f>", ""),
            ("", "for (<i>, _, <v>) in [({int!}, 1, {str!}), [{int!}, 2, 3]]", ""),
            ("", "for <i> := 0; ; <i>++", "if <i> > 2 {{ break }}"), ("<i> := 0", "for ; <i> < 3;", "<i>++"),
            ("<i> := 0", "for ; ; <i>++", "if <i> == {Few} {{ break }}"), ("<i> := 3", "for <i> > 0", "<i>--"),
            ("", "for <i>, <v> := 0, 9; <i> < <v>; <i>, <v> = <i> + 3, <v> - 1", "")])
        if before:
            self.put(before, i=i, v=v, f=f)
        self.put(head + " {{", i=i, v=v, f=f)

        def body():
            if first:
                self.put(first, i=i)
            self.say(", ".join(n for key, n in (("<i>", i), ("<v>", v)) if key in head))
            self.statements(0, 2)
        self.loops += 1
        self.block(self.lines.pop().strip(), body, turns=4)
        self.loops -= 1

    def deferred(self):
        """Defers in loops and in each other; some recover, some panic."""
        def body():
            for _ in range(self.rng.randint(1, 4)):
                self.put(self.rng.choice([
                    'for <i> in {Few} {{ defer println("a", <i>, {int!}) }}',
                    'for <i> in {Few} {{ defer {{ println("l", <i>, recover()) }} }}',
                    'defer {{ if <i> := recover(); <i> != nil {{ println("o", <i>) }} }}',
                    'defer {{ defer {{ println("n", recover()) }}; panic({str!}) }}',
                    "defer {{ defer func() {{ recover() }}(); panic({any!}) }}", "defer {{ panic(recover()) }}",
                    "defer {{ func() {{ recover() }}() }}",
                    '<i> := [{int!}]; defer {{ println("x", <i>) }}; defer <i>.push({int!})',
                    'defer func(a, b = {int!}, r...) {{ println("c", a, b, r) }}(({int!}, {str!})...)',
                    "defer func(a, b = {int!}) {{ println(a, b) }}(b: {int!}, a: {str!})"]), i=self.new_name("i"))
            self.statements(0, 2)
            self.put(self.rng.choice(["panic({any!})", "panic({str!})", "return {int!}", "return nil, error({str!})",
                                      "return {int!}, nil", "println({int!})", "return risky({int!})"]))
        self.block(("sink" if self.shared else "println") + "(try(func() {", lambda: self.own_function(body, None),
                   tail="}))")

    def local(self):
        """A function that is declared in another one, and its calls."""
        f, n = self.new_name("f"), self.new_name("n")
        self.put(self.rng.choice([
            "func <f>(<n>, b = <n> +% 1, r...) => [<n>, b, len(r)]", "func <f>(<n>, b = {int!}) => (<n>, b)",
            "func <f>(<n>,) => switch <n> {{ case 1, 2: {int!}; default: <n> }}",
            "func <f>(<n>) {{ return if <n> < 1 || <n> > 9 {{ 0 }} else {{ <f>(<n> - 1) + 2 }} }}"]), f=f, n=n)
        self.put(self.rng.choice([
            "println(try(func() => <f>([{int!}]..., b: {int!})))", "println(try(func() => <f>([{int!}, {int!}]...)))",
            "println(try(func() => <f>({Few}, [{int!}, 3, {int!}]...)))", "println(try(<f>, {Few}))",
            "println(try(func() => <f>(<n>: {int!})))", "println(try(func() => [<f>][0]({Few})))",
            "println(try(func() => {{f: <f>}}.f({Few})))", "println(try(func() => <f>({Few}, r: [1])))"]), f=f, n=n)

    def asked(self):
        """`?` inside of expressions, and what stands beside it."""
        f, n = self.new_name("f"), self.new_name("n")
        bodies = ["{{ return risky(<n>)? + passes(<n>)?, nil }}", "=> risky(<n>)?", "=> risky(<n>)? +% {int}",
                  "{{ if <n> > 3 {{ return error({str!}) }}; return [risky(<n>)?, {int!}], nil }}",
                  "{{ risky(<n>)? }}", "{{ if <n> > 3 {{ return }}; risky(<n>)? }}", "{{ return passes(<n>) }}",
                  "{{ if <n> < 3 {{ return passes(<n>) }}; return risky(<n>)?, nil }}",
                  "{{ for i in 3 {{ risky(<n> + i)? }}; return {int!}, nil }}",
                  "{{ return {{k: passes(<n>)?}}.k, nil }}", "{{ return nil, Fault(risky(<n>)?) }}",
                  "{{ v := if <n> > 2 {{ risky(<n>)? }} else {{ return error({str!}) }}; return v, nil }}",
                  "{{ defer {{ println(recover()) }}; return str(risky(<n>)?)[0], nil }}"]
        if self.starts and not self.shared:
            bodies += ["{{ return (<-go risky(<n>))?, nil }}", "{{ group {{ go {{ sleep(0) }}; risky(<n>)? }} }}",
                       "{{ t := go risky(<n>); v, err := <-t; return v, err }}"]
        self.put("func <f>(<n>) " + self.rng.choice(bodies), f=f, n=n)
        for _ in range(2):
            self.put("println(try(<f>, {Small}))", f=f)

    def spelled(self):
        """Comments, and lines that go on."""
        a, b = self.new_name("v"), self.new_name("v")
        self.put(self.rng.choice([
            "// <a> := {int!}\n<a>, <b> := 1, {int!} // one", "<a> := {int} + // one\n  {int}\n<b> := 1",
            "/* one */ <a> := /* two */ {int!} /* three\n  lines */ <b> := 2",
            "<a>, <b> := len([\n  {int!}, // one\n\n  {int!},\n  /* two */\n]), 3",
            "<a>, <b> := min(\n  {int!},\n  // one\n  {int!}, // two\n), 4", ";;<a> := {int!};; <b> := <a>;",
            "<a> := func(\n  x,\n  y = 1,\n) => x +%\n  y\n<b> := <a>({int!},)\n<a> = <b>",
            "<a>, <b> := {{\n  // one\n  k: {int!},\n  if: 1, // two\n}}.k, 5",
            '<a>, <b> := len("${{{int!}:8d}}${{[{int!}, {{k: "}}"}}]}}"), 6',
            "größe<a> := {int!}\n<a>, <b> := größe<a>, größe<a>",
            "{{ len := {int!}; min := func(x) => x; println(len, min(3)) }}\n<a>, <b> := 1, 2",
            "if <a> := {int!}; <a> != 0 {{ <a> := <a> ^ 1; println(<a>) }}\n<a>, <b> := 3, 4"]), a=a, b=b)
        self.names += [(a, "int"), (b, "int")]

    def waits(self):
        """Cases of select: assignments, tasks, timers, several channels."""
        c, v, ok = self.new_name("c"), self.new_name("v"), self.new_name("k")
        self.put("<c> := chan(3); <c> <- {int!}; <c> <- {int!}; <v>, <k> := [0], true", c=c, v=v, k=ok)
        self.put(self.rng.choice([
            "select {{ case <v>[0] = <-<c>: println(<v>) }}", "select {{ case <v>[0], <k> = <-<c>: println(<v>, <k>) }}",
            "select {{ case _, x := <-<c>: println(x) }}", "select {{ case <c> <- {int!}: println(list(len(<c>))) }}",
            "select {{ case x, err := <-go risky({int!}): println(x, err) }}",
            "select {{ case x := <-go func() {{ return {int!} }}(): println(x) }}",
            'select {{ case <-timer(0): println("t"); case <-after(9h): println("late") }}',
            'select {{ case <-tick(1us): println("t"); case x := <-nil: println(x) }}',
            'select prio {{ case <-nil: println("no"); case x := <-<c>: println(x); case <-after(0): println("no") }}',
            "group g {{ go {{ defer {{ println(recover()) }}; select {{ }} }}; sleep(1us); g.cancel() }}",
            "out<c>:\nfor {{\n  select {{\n  case x := <-<c>:\n    if x is int {{ println(x); continue out<c> }}\n"
            "    break out<c>\n  default: break out<c>\n  }}\n}}",
        ]), c=c, v=v, k=ok)
        self.put("println(len(<c>), <v>, <k>)", c=c, v=v, k=ok)

    def left(self):
        """Groups that are left, nested, and given time."""
        i, c = self.new_name("i"), self.new_name("c")
        self.put("<c> := chan(9)", c=c)
        self.put(self.rng.choice([
            "out<i>:\nfor <i> in 3 {{\n  group {{\n    go {{ <c> <- <i> }}\n"
            "    if <i> == {Few} {{ continue out<i> }}\n    if <i> == {Few} {{ break out<i> }}\n  }}\n}}",
            "println(func() {{ group {{ go {{ sleep(0); <c> <- 1 }}; return {int!} }} }}())",
            "println(try(func() {{ group {{ go {{ <c> <- 1 }}; risky({Small})? }} }}))",
            "group a {{\n  a.grace(1s)\n  group b {{\n    go {{ defer {{ sleep(1us); <c> <- 2 }}; sleep(1h) }}\n"
            "    sleep(1us)\n    b.cancel()\n  }}\n  go {{ <c> <- 3 }}\n}}",
            "println(if {bool} {{ group {{ go {{ <c> <- 1 }} }} }} else {{ {int!} }})",
            "t<i> := sched.background(func() {{ <c> <- {int!}; return {int!} }})\nprintln(<-t<i>)",
        ]), i=i, c=c)
        self.put("println(len(<c>))", c=c)

    def top(self):
        """Statements of the top level: what panics there ends the program."""
        self.start_function(False)
        self.results = None
        self.depth = 0
        for _ in range(self.rng.randint(1, 6)):
            self.statement()
        self.statuses |= {1}

    def end(self):
        """How the program ends: (what it does, the status, what it says)."""
        n, deep = self.rng.randint(0, 9), self.new_name("f")
        self.put("func <f>(n) {{ if n == 0 {{ panic(\"end %d\") }}; defer {{ }}; return <f>(n - 1) + 1 }}" % n, f=deep)
        done = 'println("never")'
        text, status, said = self.rng.choice([
            ("%s(%d)" % (deep, n), 1, "panic: end %d\n" % n), ("[1].map(%s)" % deep, 1, "panic: end %d\n" % n),
            ('x := func() { return nil, error("end", code: %d) }()?' % n, 1, "error: end\n  code: %d\n" % n),
            ("Fault(%d).error(1)" % n, 1, "panic: Fault.error: "), ("risky(15)?", 1, "error: fault 15\n"),
            ("println(try(passes, 3)); passes(5)?", 1, "error: five\n"), ("[%d][9]" % n, 1, ""),
            ("risky(5)", 1, "panic: five\n"), ("<-go %s(2)" % deep, 1, "panic: end %d\n" % n),
            ('defer { panic("second") }; panic("first")', 1, "panic: first\n"),
            ("group { go { %s(1) } }" % deep, 1, "panic: end %d\n" % n), ("<-chan()", 1, "deadlock: "),
            ('go func() { return error("lost") }(); sleep(1h)', 1, "error: lost\n"),
            ("go { %s(1) }; sleep(1h)" % deep, 1, "panic: end %d\n" % n),
            ("func() { defer os.exit(%d); panic(1) }()" % n, n, ""), ("os.exit(%d)" % n, n, ""),
            ("group { go { os.exit(%d) }; sleep(1h) }" % n, n, ""), ("return", 0, ""),
            ("assert(%d == %s)" % (n, '"n"'), 1, "panic: assertion failed: %d == " % n),
            ("try(func() { os.exit(%d) })" % n, n, "")])
        text = "_ = " + text if text.startswith("[%d][" % n) else text
        if self.chance(0.6):
            self.emit('defer println("end", recover())')
        self.emit(text)
        if status or text == "return":
            self.emit(done)
        self.statuses, self.said = {status}, said
