# SPDX-License-Identifier: MIT
"""Expressions of mixed programs, as templates for each type.

A template is (weight, precedence, text). In it {int} is an operand of the type
int, in parentheses where it is an operation. {int!} stands where any expression
may (an argument, say). {int:x} is one that may also use the parameter x. Types
whose names begin with a capital are made by Words.special."""

ATOM, UNARY, PRODUCT, SUM, RANGE, TEST, AND, OR, ELSE = range(9, 0, -1)

TEMPLATES = {
    "int": [
        (9, SUM, "{int} + {int}"), (7, SUM, "{int} - {int}"),
        (3, SUM, "{int} ^ {int}"), (2, SUM, "{int} | {int}"),
        (3, SUM, "{int} +% {int}"), (2, SUM, "{int} -% {int}"),
        (4, PRODUCT, "{int} * {Small}"), (2, PRODUCT, "{Small} * {int}"),
        (2, PRODUCT, "{int} / {Nonzero}"), (3, PRODUCT, "{int} % {Nonzero}"),
        (1, PRODUCT, "{Constant} / {int}"), (2, SUM, "{Constant} - {int}"),
        (1, PRODUCT, "{int} / {int}"), (1, PRODUCT, "{int} % {int}"),
        (3, PRODUCT, "{int} *% {int}"), (2, PRODUCT, "{int} << {Shift}"),
        (2, PRODUCT, "{int} >> {Shift}"), (4, PRODUCT, "{int} & {Mask}"),
        (1, ATOM, "map({map!}, default: {int!})[{str!}]"), (1, ELSE, "risky({Small})[0] ?? {int}"),
        (1, ATOM, "func() { v, err := passes({int!}); return if err != nil { 0 } else { v } }()"),
        (1, ATOM, "func() { v, err := lone({int!}); return if err != nil { 0 } else { v } }()"),
        (1, ATOM, "func() { m := map(default: 0); for c in {str} { m[c] += 1 }; return len(m) }()"),
        (1, ATOM, "func() { _ = risky({int!}); return {int!} }()"), (1, ATOM, "Named(n: {int!}).n"),
        (1, ATOM, "error({str!}, code: {int!}, cause: Fault({int!})).code"),
        (2, SUM, "{Var} * {Var} + {Var}"), (2, SUM, "{Var} - {Var} * {Var}"),
        (2, SUM, "{Var} + {Var} - {Var}"), (2, SUM, "{Var} - {Var} + {Small}"),
        (2, SUM, "{Var} ^ {Var} << {Shift}"), (2, SUM, "{Var} ^ {Var} >> {Shift}"),
        (2, SUM, "{Var} *% {Constant} +% {Var}"), (1, SUM, "{Var} + {Var} *% {Var}"),
        (2, UNARY, "-({int!})"), (1, UNARY, "^({int!})"),
        (2, ATOM, "len({str!})"), (2, ATOM, "len({list!})"), (1, ATOM, "len({map!})"),
        (1, ATOM, "int({float!})"), (2, ATOM, "abs({int!})"), (1, ATOM, "math.ipow({Small}, {Few})"),
        (2, ATOM, "min({int!}, {int!})"), (1, ATOM, "max({list!})"),
        (2, ATOM, "{list}[{Index}]"), (2, ATOM, "{list}.sum()"),
        (1, ATOM, "{list}.index({int!})"), (1, ELSE, "{list}.first() ?? {int}"),
        (2, ELSE, "{map}[{str!}] ?? {int}"), (1, ELSE, "{map}.a ?? {int}"),
        (1, ATOM, "{str}.index({str!})"), (1, ATOM, "{str}[{Index}]"),
        (1, ATOM, "{bytes}[{Index}]"), (1, ATOM, "{str}.rune_count()"),
        (2, ATOM, "{point}.x"), (2, ATOM, "{point}.y"), (2, ATOM, "{point}.sum()"),
        (2, ATOM, "{point}.mix({int!}, by: {int!})"), (1, ATOM, "{point}.mix({int!})"),
        (1, ATOM, "{list}.reduce(func(a, b) => a +% b, {int!})"),
        (3, ATOM, "(func(X) => {int:X})({int!})"),
        (1, ATOM, "func(X = {int!}) { return {int:X} }()"),
        (1, ATOM, "func(X...) { return X.sum() }({int!}, {int!}, {list}...)"),
        (1, ATOM, "func() { switch ({int!}) { case {Small}, {Small}: return {int!}; "
                  "default: return {int!} } }()"),
        (1, ATOM, "func() { if ({bool!}) { return {int!} }; return {int!} }()"),
        (2, ATOM, "(if ({bool!}) { ({int!}) } else { ({int!}) })"),
        (1, ATOM, "(if ({bool!}) { ({int!}) } else if ({bool!}) { ({int!}) } else { {Var} })"),
        (1, ATOM, "(if ({bool!}) { X := ({int!}); ({int:X}) } else { {Var} })"),
        (1, SUM, "{Var} + (if ({bool!}) { {Assign}; ({int!}) } else { {Var} })"),
        (1, ATOM, "(switch ({int!}) { case {Small}, {Small}: ({int!}); "
                  "default: ({int!}) })"),
        (1, ATOM, "(switch { case ({bool!}): ({int!}); default: {Var} })"),
        (1, ATOM, "abs(if ({bool!}) { ({int!}) } else { ({int!}) })"),
        (1, ATOM, "{point}.mix({int!}, by: switch ({int!}) { case {Small}: ({int!}); default: {Var} })"),
        (1, ATOM, "(func(X) => switch ({int!}) {{ case {Small}, {Small}: ({int:X}); default: {Var} }})({int!})"),
        (1, ELSE, "func() { v, _ := try(func() => switch ({int!}) { case {Small}: ({int!}) }); return v }() ?? {int}"),
        (1, ATOM, "(func(X) => if ({bool!}) { ({int:X}) } else { {Var} })({int!})"),
        (1, ATOM, "func() { defer func() { recover() }(); return {int!} }()"),
        (1, ATOM, "func() { m := {point}.sum; return m() }()"),
        (1, OR, "{bool} && {int} || {int}"), (4, ATOM, "{Call}"), (1, ATOM, "{Task}"),
        (4, ATOM, "{Member}"), (2, ATOM, "len({tuple!})"),
        (1, ELSE, "{{[{tuple!}]: {int!}, [{tuple!}]: {int!}}}[{tuple!}] ?? {int}"),
        (1, ATOM, "func() { [X, b...] := ({int!}, {str!}); return X +% len(b) }()"),
        (1, ATOM, "(func(X, b) => X +% len(b))(({int!}, {str!})...)"),
    ],
    "float": [
        (4, SUM, "{float} + {float}"), (3, SUM, "{float} - {int}"),
        (3, PRODUCT, "{float} * {float}"), (2, PRODUCT, "{int} * {float}"),
        (3, PRODUCT, "{float} / {float}"), (1, PRODUCT, "{Constant} / {float}"),
        (1, PRODUCT, "{float} % {float}"), (2, SUM, "{float} * {float} + {float}"),
        (1, UNARY, "-({float!})"), (2, ATOM, "float({int!})"),
        (1, ATOM, "math.floor({float!})"), (1, ATOM, "math.sqrt({float!})"),
        (1, ATOM, "min({float!}, {int!}, {float!}) + 0.0"),
    ],
    "str": [
        (4, SUM, "{str} + {str}"), (5, ATOM, '"<${{{int!}}}|${{{str!}}}>"'),
        (2, ATOM, '"${{{any!}}}"'), (2, ATOM, '"${{{int!}:6d}}${{{any!}:-8v}}"'),
        (1, ATOM, '"${{{float!}:.2f}}|${{{str!}:4s}}"'), (1, ATOM, "{str}.to_upper()"),
        (1, ATOM, "{str}.trim()"), (1, ATOM, "{str}.replace({str!}, {str!})"),
        (1, ATOM, "{str}.repeat({Few})"), (2, ATOM, "cut({str!}, {int!}, {int!})"),
        (1, ATOM, "{str}[{Few}:]"), (1, ATOM, "{str}.part({int!}, {Few})"), (2, ATOM, "str({any!})"), (1, ATOM, "{strs}.join({str!})"),
        (1, ATOM, "strings.join({list!}, {str!})"), (1, ATOM, "type({any!})"),
        (1, ATOM, 'fmt.sprintf("%d|%5s|%x", {int!}, {str!}, {int!})'),
        (2, ATOM, "str(Named({str!}, {int!}))"), (1, ATOM, '"${{[Named({str!})]}}|${{Fault({int!})}}"'),
        (1, ATOM, "Fault({int!}).error()"), (1, ATOM, "error({str!}, cause: Fault({int!})).message"),
        (1, ATOM, "error({any!}, code: {str!}).code"),
        (1, ATOM, "(func(X) => switch X {{ case is int: ({str:X}); case is error: str(X); "
                  "default: ({str!}) }})([{int!}, Fault({int!}), error({str!}), {any!}][{Few}])"),
        (1, ATOM, "{str}.reverse()"), (1, ATOM, '{str}.pad_left({Few}, "*")'),
        (1, ATOM, "(func(X) => X + {str})({str!})"), (1, ELSE, "{strs}.last() ?? {str}"),
    ],
    "bool": [
        (3, TEST, "{int} < {int}"), (2, TEST, "{int} <= {Small}"),
        (2, TEST, "{Small} > {int}"), (2, TEST, "{Constant} >= {int}"),
        (3, TEST, "{int} == {int}"), (1, TEST, "{int} != {Small}"),
        (2, TEST, "{float} < {int}"), (1, TEST, "{float} >= {float}"),
        (2, TEST, "{str} == {str}"), (1, TEST, "{str} < {str}"),
        (1, TEST, "{any} == {any}"), (1, TEST, "{any} == nil"),
        (2, TEST, "{int} in {list}"), (1, TEST, "{str} in {map}"),
        (1, TEST, "{int} in {range}"), (1, TEST, "{str} in {str}"),
        (2, UNARY, "!({bool!})"), (2, AND, "{bool} && {bool}"), (2, OR, "{bool} || {bool}"),
        (1, ATOM, "equal(error({str!}, code: {int!}), error({str!}, code: {int!}))"),
        (1, TEST, "Fault({int!}) is error"), (1, TEST, "{any} is error"),
        (1, TEST, "{any} is int"), (1, TEST, "{any} is Point"),
        (2, TEST, "{tuple} == {tuple}"), (1, TEST, "({int!}, {str!}) < ({int!}, {str!})"),
        (1, TEST, "{int} in {tuple}"), (1, TEST, "{tuple} in {{[{tuple!}]: {int!}}}"),
        (1, ATOM, "equal({list!}, {list!})"), (1, ATOM, "equal({tuple!}, {tuple!})"), (1, ATOM, "{list}.any(func(X) => {bool:X})"),
        (1, ATOM, "{list}.contains({int!})"), (1, ATOM, "{str}.has_prefix({str!})"),
        (1, ATOM, "{str}.has_prefix({str!}, {Few})"),
    ],
    "list": [
        (4, ATOM, "[{int!}, {int!}, {int!}]"), (2, ATOM, "[{int!}]"), (1, ATOM, "[]"),
        (2, SUM, "{list} + {list}"), (3, ATOM, "{list}.map(func(X) => {int:X})"),
        (2, ATOM, "{list}.filter(func(X) => {bool:X})"), (1, ATOM, "copy({list!}).sort()"),
        (1, ATOM, "copy({list!}).sort(func(X, b) => X > b)"), (1, ATOM, "copy({list!}).reverse()"),
        (1, ATOM, "list({range!})"), (1, ATOM, "{list}[{Few}:]"), (1, ATOM, "{list}.part({int!}, {int!})"), (1, ATOM, "{list}[:{Few}]"),
        (1, ATOM, "{list}.unique()"), (1, ATOM, "list({tuple!}).map(func(X) => len(str(X)))"),
        (1, ATOM, "[{int!}, {int!}].map(func(X) => ({int:X}, X)).sort().map(func(t) => t[0])"), (1, ATOM, "list({bytes!})"), (1, ATOM, "{str}.runes()"),
        (1, ATOM, "maps.values({map!})"), (1, ATOM, "[{list!}, {list!}].flatten()"),
        (1, ATOM, "[{list!}].flat_map(func(X) => X)"), (1, ATOM, "maps.values({list}.group_by(func(X) => {int:X})).map(len)"),
        (1, ATOM, "copy({list!}).sort_by(func(X) => ({int:X}, -X % 7))"),
        (1, ATOM, "func() { xs, _ := ({list!}).try_map(risky); return xs ?? [] }()"),
        (1, ATOM, "[{any!}, {any!}].map(func(X) => len(str(X)))"),
    ],
    "tuple": [
        (4, ATOM, "({int!}, {str!})"), (2, ATOM, "({int!},)"), (1, ATOM, "()"),
        (2, ATOM, "({int!}, ({str!}, {float!}), {bool!})"), (1, SUM, "{tuple} + {tuple}"),
        (1, ATOM, "{tuple}.part({int!}, {Few})"), (1, ATOM, "tuple({list!})"),
        (1, ATOM, "copy({tuple!})"), (1, ATOM, "tuple({str!})"),
    ],
    "strs": [
        (3, ATOM, "[{str!}, {str!}]"), (1, ATOM, "{str}.split({str!})"),
        (1, ATOM, "{str}.fields()"), (1, ATOM, "maps.keys({map!})"), (1, ATOM, "list({map!})"),
        (1, ATOM, "{str}[:{Few}].chars()"), (1, ATOM, "{list}.map(func(X) => {str:X})"),
    ],
    "map": [
        (3, ATOM, "{{a: {int!}, b: {int!}}}"), (1, ATOM, "{{}}"),
        (2, ATOM, '{{"two": {int!}, [{str!}]: {int!}, if: {int!}}}'),
        (1, ATOM, "(if ({bool!}) {{ ({{a: {int!}}}) }} else {{ ({map!}) }})"),
        (1, ATOM, "maps.merge({map!}, {map!})"),
        (1, ATOM, "maps.filter({map!}, func(k, v) => v > {int})"),
        (1, ATOM, "maps.map_values({map!}, func(X) => {int:X})"),
    ],
    "bytes": [(2, ATOM, "bytes({str!})"), (1, ATOM, "bytes({Few})"),
              (1, ATOM, "bytes([1, 2, 255]).push({int} & 255)"),
              (1, ATOM, "{bytes}.part({Few}, {int!})")],
    "range": [(2, RANGE, "{Small}..{Small}"), (1, RANGE, "{Few}..={Few}"),
              (1, ATOM, "({Small}..{Small}).by(3)"), (1, ATOM, "({Few}..={Small}).by(-2)")],
    "point": [
        (3, ATOM, "Point({int!}, {int!})"), (1, ATOM, "Point(y: {int!}, x: {int!})"),
        (1, ATOM, "Point({int!})"), (2, ATOM, "{point}.moved({int!}, {int!})"),
        (1, ATOM, "{point}.moved(dy: {int!})"), (1, ATOM, "copy({point!})"),
    ],
}

STRINGS = ['""', '"a"', '"b c"', '"añ世"', '"x,y,,z"', r'"\x41\n\t\$"', "`raw`", "```\n  raw\n    two\n  ```",
           '" pad "', '"0"', '"abcabcabcabc"', r'"\xff\u{1F600}"']
BIG = [300, 1000, 32767, 32768, 65537, 0xffffff, 2 ** 31, 2 ** 40 + 1, 2 ** 53 + 1,
       2 ** 61 - 1, 2 ** 61, 2 ** 62, 2 ** 63 - 1, -32769, -2 ** 40, -2 ** 61 - 1]
FLOATS = ["0.5", "1.5", "2.0", "0.1", "1e10", "3.25", "1e-3", "100.0", "0.0", "1e300"]
ATOMS = {"list": "[]", "strs": "[]", "map": "{}", "range": "(0..3)",
         "bytes": 'bytes("by")', "tuple": "(1, 2)", "point": "Point(1, 2)"}
ANY = ["int", "int", "float", "str", "bool", "list", "strs", "map", "bytes",
       "range", "point", "tuple"]


class Words:
    """Makes expressions. It is a part of mixed.Maker, which has rng, names
    (what can be read here, as [(name, type)]), structs, call, task and pick."""

    count = 0

    def new_name(self, letter):
        self.count += 1
        return "%s%d" % (letter, self.count)

    def names_of(self, kind):
        return [name for name, its in self.names if its == kind]

    def expression(self, kind, depth=3):
        return self.make(kind, depth)[0]

    def make(self, kind, depth):
        """(text, precedence)."""
        if kind == "any":
            if self.rng.random() < 0.05:
                return "nil", ATOM
            kind = self.rng.choice(ANY)
        if kind[0].isupper():
            return self.special(kind, depth), ATOM
        if depth <= 0 or self.rng.random() < 0.15:
            return self.atom(kind)
        templates = TEMPLATES[kind]
        weights = [t[0] for t in templates]
        _, precedence, text = self.rng.choices(templates, weights)[0]
        return self.fill(text, depth - 1), precedence

    def atom(self, kind):
        names = self.names_of(kind)
        if names and self.rng.random() < 0.7:
            return self.rng.choice(names), ATOM
        if kind == "int":
            return self.special(self.rng.choice(["Small", "Small", "Constant"]), 0), ATOM
        if kind == "float":
            return self.rng.choice(FLOATS), ATOM
        if kind == "str":
            return self.rng.choice(STRINGS), ATOM
        if kind == "bool":
            return self.rng.choice(["true", "false"]), ATOM
        return ATOMS[kind], ATOM

    def special(self, kind, depth):
        rng = self.rng
        if kind == "Small":
            return str(rng.choice([0, 1, 2, 3, 5, 7, 10, 100, 127, 128, 'a']
                                  if rng.random() < 0.7 else [rng.randint(0, 300)]
                                  )).replace("a", "'a'")
        if kind == "Constant":
            big = rng.choice(BIG)
            return "(%d)" % big if big < 0 else rng.choice(["%d", "0x%x"]) % big
        if kind == "Var":
            names = self.names_of("int")
            return rng.choice(names) if names else str(rng.randint(0, 300))
        if kind == "Assign":
            name = self.pick("int")
            return "sink()" if name is None else "%s = %d" % (name, rng.randint(0, 300))
        if kind == "Call":
            return self.call(depth) or str(rng.randint(0, 9))
        if kind == "Member":
            return self.member(depth)
        if kind == "Task":
            return self.task(depth) or str(rng.randint(0, 9))
        low, high = {"Nonzero": (1, 40), "Shift": (0, 66), "Mask": (1, 0xffff),
                     "Index": (0, 3), "Few": (0, 3)}[kind]
        return str(rng.randint(low, high))

    def values(self, names, required, depth):
        """Arguments for parameters of which the first ones need a value."""
        count = self.rng.randint(required, len(names))
        values = [self.expression("int", depth) for _ in names[:count]]
        if self.rng.random() < 0.7:
            return ", ".join(values)
        named = ["%s: %s" % pair for pair in zip(names, values)]
        self.rng.shuffle(named)
        return ", ".join(named)

    def construct(self, struct, depth):
        return "%s(%s)" % (struct.name, self.values(
            struct.fields, struct.required, min(depth, 1)))

    def member(self, depth):
        """A field of an instance, or a call of a method."""
        if not self.structs:
            return str(self.rng.randint(0, 9))
        struct = self.rng.choice(self.structs)
        names = self.names_of(struct.name)
        x = self.rng.choice(names) if names else self.construct(struct, depth)
        if self.rng.random() < 0.5:
            return "%s.%s" % (x, self.rng.choice(struct.fields))
        method, (parameters, required) = self.rng.choice(list(struct.methods.items()))
        return "%s.%s(%s)" % (x, method, self.values(
            parameters, required, min(depth, 1)))

    def fill(self, template, depth):
        """The template with expressions in its places."""
        bound = self.new_name("x") if "X" in template else ""
        template = template.replace("X", bound)
        text, at = "", 0
        while at < len(template):
            if template[at:at + 2] in ("{{", "}}"):
                text, at = text + template[at], at + 2
            elif template[at] == "{" and template[at + 1].isalpha() and \
                    "}" in template[at:] and " " not in self.place(template, at):
                place = self.place(template, at)
                text += self.operand(place, depth)
                at += len(place) + 2
            else:
                text, at = text + template[at], at + 1
        return text

    @staticmethod
    def place(template, at):
        return template[at + 1:template.index("}", at)]

    def operand(self, place, depth):
        kind, _, bound = place.partition(":")
        free = kind.endswith("!") or bound
        kind = kind.rstrip("!")
        before = list(self.names)
        if bound:
            self.names.append((bound, "int"))
        text, precedence = self.make(kind, depth)
        self.names = before
        loose = precedence < SUM or self.rng.random() < 0.75
        return text if free or precedence == ATOM or not loose else "(%s)" % text
