# SPDX-License-Identifier: MIT
"""What functions of errors.py give, said a second time: the chapters on errors,
panics and groups of docs/language.md in Python."""

ALSO_MAX = 16
MOST_CALLS = 1000
MOST_OLDER = 4  # panics


class Unclear(Exception):
    """It takes too long, or which of two failures comes first is not known."""


class Err:
    """kind: "plain" (of the top level, shared), "copy" of one, "made" in a
    function, or "struct"."""

    def __init__(self, kind, message, origin=None, cause=None):
        self.kind, self.message, self.cause = kind, message, cause
        self.origin = origin or self
        self.also = []

    def can_carry(self):
        return self.kind in ("made", "copy")


CONSTANTS = {name: Err("plain", name) for name in ("K0", "K1")}


class Panic:
    def __init__(self, value):
        self.value, self.also = value, []
        self.older = []  # those that it replaced
        self.foreign = False  # it is that of a task, which may have such
        if isinstance(value, Err) and value.kind == "copy":
            self.value, self.also = value.origin, value.also


class Thrown(Exception):
    def __init__(self, value):
        super().__init__()
        self.panic = Panic(value)


class Any:
    """Results that are nil or an error, after as many nils as are wanted. One
    that takes what comes gets `all` values."""

    def __init__(self, last, count=2):
        self.last, self.count = last, count

    def values(self, want):
        return [None] * (want - 1) + [self.last] if want > 0 else []


def own(error):
    """Such an error that can carry others, if there is one."""
    return Err("copy", error.message, error, error.cause) if error.kind == "plain" else error


def equal(a, b):
    return isinstance(a, Err) and isinstance(b, Err) and a.origin is b.origin


def carry(carrier, holder, error):
    """holder, which is carrier or its panic, has it with it."""
    also = holder.also
    more = any(e not in also for e in error.also) and error.also is not also
    if not (equal(error, carrier) and not more) and len(also) < ALSO_MAX:
        holder.also = also + [error]


def carry_in_panic(panic, error):
    value = panic.value
    carries = isinstance(value, Err) and value.can_carry()
    carry(value, value if carries else panic, error)


def text(v):
    if isinstance(v, list):
        return "[%s]" % ", ".join(text_in_list(e) for e in v)
    return "nil" if v is None else v.message if isinstance(v, Err) else str(v)


def text_in_list(v):
    if not isinstance(v, Err) or v.kind == "struct":
        return text(v)
    return 'error("%s")' % v.message.replace('"', '\\"')


def report(err, also=None):
    """The lines of its report that tell of errors. also: beside it."""
    lines = ["panic: " + err.message] + carried(err, also or err.also, [])
    while err.cause is not None:
        err = err.cause
        lines += ["  caused by: " + err.message] + carried(err, err.also, [])
    return lines


def carried(err, also, shown):
    """What is told once is not told again."""
    shown += [err, also]
    lines = []
    for other in also:
        known = any(equal(other, e) for e in shown)
        if not known or other.also and not any(other.also is e for e in shown):
            lines += ["  also: " + other.message] + carried(other, other.also, shown)
            while other.cause is not None:
                other = other.cause
                lines.append("    caused by: " + other.message)
    return lines


def is_error(v):
    return isinstance(v, Err)


def panic_text(message, cause=None):
    return Thrown(Err("made", message, cause=cause if is_error(cause) else None))


# --- Results -----------------------------------------------------------------
def last_of(results):
    if isinstance(results, Any):
        return results.last
    return results[-1] if results else None


def all_of(results):
    return results.values(results.count) if isinstance(results, Any) else results


def plural(n):
    return "%d value%s" % (n, "" if n == 1 else "s")


def deliver(results, want, name, asked=False, hint=""):
    """That many of them."""
    if isinstance(results, Any):
        return results.values(want)
    n, last = len(results), last_of(results)
    if n == want:
        return results
    if asked and is_error(last):
        return [None] * (want - 1) + [last]
    if asked and n == 0:
        raise panic_text("`?` after a call that returned no value: the function must end with "
                         "`return v, nil` if nothing went wrong, or with `return nil` where "
                         "`f()?` stands alone")
    if asked and last is not None:
        raise panic_text(no_error(last))
    if not hint and n == 1 and last is None and asked:
        hint = ": nil for no error, without a value (write `f()?` alone)"
    elif not hint and n == 2 and want == 1 and (last is None or is_error(last)):
        hint = ": the last is for an error, write `f()?` or `v, err := f()`"
        if name == "the task":
            hint = ": the last is for an error, write `(<-t)?` or `v, err := <-t`"
    raise panic_text("%s returned %s, %d wanted%s" % (name, plural(n), want, hint), last)


def no_error(v):
    return "`?` takes nil or an error as the last value, not the int %d" % v


def dropped(results):
    """Of a call that is a statement."""
    if is_error(last_of(results)):
        raise Thrown(last_of(results))


# --- Functions ---------------------------------------------------------------
def returns_of(body):
    for s in body:
        if s[0] in ("return", "return_call", "return_group", "return_if"):
            yield s
        elif s[0] in ("check", "try", "group_value", "group_body", "group_two",
                      "group_return") and s[-1]:
            yield ("return", s[-1])
        elif s[0] == "if":
            yield from returns_of(s[2])
        elif s[0] == "inside":
            yield from returns_of(s[1])
        elif s[0] == "switch":
            for _, inner in s[1]:
                yield from returns_of(inner)


def has_mark(body):
    """Whether there is a `?`."""
    return any(s[0] in ("ask", "task_ask") or s[0] == "if" and has_mark(s[2]) or
               s[0] == "inside" and has_mark(s[1]) or
               s[0] == "switch" and any(has_mark(inner) for _, inner in s[1]) for s in body)


def is_call(value):
    return not isinstance(value, str) and value[0] in ("made", "struct")


def result_count(f):
    """How many values it gives for sure: what `recover` takes."""
    if f.arrow:
        return 2
    returns = list(returns_of(f.body))
    if f.asks:
        lists = [len(s[1]) for s in returns if s[0] == "return" and len(s[1]) > 1]
        lone = any(s[0] == "return_call" for s in returns)
        return lists[0] if lists else "passed" if lone else 1
    counts = set()
    for s in returns:
        single = s[0] in ("return_group", "return_if")
        lone = s[0] == "return_call" or s[0] == "return" and len(s[1]) == 1 and is_call(s[1][0])
        counts.add(2 if lone else 1 if single else len(s[1]))
    return 0 if not counts else counts.pop() if len(counts) == 1 else "vary"


class Left(Exception):
    """A return. Its results are those of the function."""

    def __init__(self, results):
        super().__init__()
        self.results = results


class Frame:
    def __init__(self, maker, function, x):
        self.maker, self.f, self.x = maker, function, x
        self.env, self.deferred = {}, []

    # --- what leaves it
    def nils(self):
        count = self.f.results
        if isinstance(count, int):
            return [None] * count
        return Any(None, 2 if count == "passed" else 1)

    def leave_with(self, error):
        """`return error` and `?`, where there is a `?`."""
        count = 2 if self.f.arrow else self.f.results
        return Any(error) if count == "passed" else [None] * (count - 1) + [error]

    def fit(self, results, arrow=False):
        """What a lone call gave is returned."""
        if not self.f.asks:
            return results
        count = 2 if self.f.arrow else self.f.results
        if isinstance(results, Any):
            return results if count == "passed" else results.values(count)
        n, last = len(results), last_of(results)
        if count == "passed":
            if n != 1:
                return results
            return Any(last) if is_error(last) else [self.alone(last)]
        if n == count:
            return results
        if n != 1:
            raise panic_text("%s returns %s, as it has a `?`, and this call gives %d" % (
                self.f.full_name(), plural(count), n), last)
        if arrow and not is_error(last):
            return [last] + [None] * (count - 1)
        return [None] * (count - 1) + [self.alone(last)]

    def run(self):
        panic, results = None, None
        try:
            results = self.run_arrow() if self.f.arrow else self.run_body()
        except Thrown as thrown:
            panic = thrown.panic
        while self.deferred:
            panic, results = self.one_deferred(panic, results)
        if panic is not None:
            thrown = Thrown(None)
            thrown.panic = panic
            raise thrown
        return results

    def one_deferred(self, panic, results):
        call = self.deferred.pop()
        if call == "recover":
            return (None, self.nils()) if panic is not None else (None, results)
        try:
            error = last_of(call())
        except Thrown as thrown:
            if panic is None and is_error(last_of(results)):
                carry_in_panic(thrown.panic, last_of(results))
            if panic is not None:
                thrown.panic.older = panic.older + [panic] + thrown.panic.older
                thrown.panic.foreign |= panic.foreign
            return thrown.panic, None
        if not is_error(error):
            return panic, results
        if panic is not None:
            carry_in_panic(panic, error)
            return panic, None
        return self.returning(results, error)

    @staticmethod
    def returning(results, error):
        """A deferred call gave it."""
        last = last_of(results)
        if error is last and error.kind != "struct":
            return None, results
        if is_error(last) and last.kind != "struct":
            last = own(last)
            carry(last, last, error)
            return None, Any(last, results.count) if isinstance(results, Any) else \
                results[:-1] + [last]
        panic = Panic(error)
        if is_error(last):
            carry_in_panic(panic, last)
        return panic, None

    def run_arrow(self):
        try:
            call = self.f.arrow
            if call[0] == "asks":
                value = self.asked(call[1], 1)[0]
                return [None, value] if is_error(value) else [value, None]
            return self.fit(self.call(call), arrow=True)
        except Left as left:
            return left.results

    def run_body(self):
        try:
            self.run_all(self.f.body)
        except Left as left:
            return left.results
        return self.leave_with(None) if self.f.asks else []

    # --- calls
    def call(self, call):
        f, argument = call[1], call[2]
        x = self.x if argument == "x" else argument
        if isinstance(argument, tuple):
            x = self.asked(argument[1], 1)[0]
        return run(self.maker, f, x)

    def asked(self, call, want, name=None):
        """`call?` with so many values, or a task's."""
        results = self.call(call)
        if want == 0:
            if not all_of(results):
                raise panic_text("`?` after a call that returned no value: the function must "
                                 "end with `return nil` if nothing went wrong")
            values = [last_of(results)]
        else:
            values = deliver(results, want + 1, name or call[1].full_name(), asked=True)
        if is_error(values[-1]):
            raise Left(self.leave_with(values[-1]))
        if values[-1] is not None:
            raise panic_text(no_error(values[-1]))
        return values[:-1]

    def value(self, v):
        if isinstance(v, str):
            return None if v == "nil" else int(v)
        kind, which = v
        if kind == "name":
            return self.env[which]
        if kind == "const":
            return CONSTANTS[which]
        return Err(kind, "S%d" % which if kind == "struct" else which)

    def leave(self, values):
        values = [self.value(v) for v in values]
        if self.f.asks and len(values) < 2:
            raise Left(self.leave_with(self.alone(values[0] if values else None)))
        raise Left(values)

    @staticmethod
    def alone(value):
        if value is None or is_error(value):
            return value
        raise panic_text("a function with `?` returns nil or an error last, not the int %d "
                         "(write `return x, nil`)" % value)

    def leave_if(self, error, site, values):
        if error is not None:
            self.env["e%d" % site] = error
            self.leave(values)

    # --- statements
    def run_all(self, body):
        for s in body:
            getattr(self, "do_" + s[0])(*s[1:])

    def do_stmt(self, call, _):
        dropped(self.call(call))

    def do_drop(self, call, _=None):
        self.call(call)

    def do_take(self, call, count, _):
        deliver(self.call(call), count, call[1].full_name())

    def do_ask(self, call, count, _):
        self.asked(call, count)

    def do_check(self, call, site, values):
        _, error = deliver(self.call(call), 2, call[1].full_name())
        self.leave_if(error, site, values)

    def do_try(self, call, site, values):
        self.leave_if(tried(lambda: self.call(call))[1], site, values)

    def do_task(self, call, count, _):
        deliver(awaited(self.maker, lambda: self.call(call)), count, "the task")

    def do_task_ask(self, call, _):
        results = awaited(self.maker, lambda: self.call(call))
        values = deliver(results, 2, "the task", asked=True)
        if is_error(values[-1]):
            raise Left(self.leave_with(values[-1]))
        if values[-1] is not None:
            raise panic_text(no_error(values[-1]))

    def do_task_stmt(self, call, _):
        dropped(awaited(self.maker, lambda: self.call(call)))

    def do_task_drop(self, call, _):
        awaited(self.maker, lambda: self.call(call))

    def do_try_stmt(self, call, _):
        dropped([tried(lambda: self.call(call))[1]])

    def do_defer(self, call, _):
        x = self.x if call[2] == "x" else call[2]
        self.deferred.append(lambda: run(self.maker, call[1], x))

    def do_defer_panic(self, error):
        value = self.value(error)

        def panics():
            raise Thrown(value)
        self.deferred.append(panics)

    def do_defer_native(self):
        self.deferred.append(lambda: [None, Err("made", '"x" is not an int')])

    def do_defer_recover(self):
        self.deferred.append("recover")

    def do_group(self, call, _):
        grouped(self.maker, call, self.x)

    def do_group_value(self, call, site, values):
        self.leave_if(grouped(self.maker, call, self.x, valued=True), site, values)

    def do_group_body(self, call, site, values):
        also = [Err("made", "deferred %d" % site)]
        error = grouped(self.maker, call, self.x, bool(values), also)
        if values:
            self.leave_if(error, site, values)

    def do_group_two(self, call, site, values):
        failed = member(self.maker, call, self.x)
        if failed and failed[1]:  # who of both leaves first is not known
            raise Unclear
        self.do_group_body(call, site, values)

    def do_group_return(self, call, values):
        results = [self.value(v) for v in values]
        grouped(self.maker, call, self.x, body=[e for e in results[-1:] if is_error(e)])
        self.do_return(values)

    def do_panic(self, error):
        raise Thrown(self.value(error))

    def do_return(self, values):
        if len(values) == 1 and self.f.asks and is_call(values[0]):
            raise Left(self.fit([self.value(values[0])]))
        self.leave(values)

    def do_return_call(self, call):
        raise Left(self.fit(self.call(call)))

    def do_return_group(self, call):
        self.leave_value(grouped(self.maker, call, self.x, valued=True))

    def do_return_if(self, x, error):
        self.leave_value(self.value(error) if self.x == x else None)

    def leave_value(self, value):
        raise Left(self.leave_with(value) if self.f.asks else [value])

    def do_if(self, x, body):
        if self.x == x:
            self.run_all(body)

    def do_inside(self, body):
        in_group(self.maker, lambda: self.run_all(body))

    def do_switch(self, cases):
        for x, body in cases:
            self.do_if(x, body)


def run(maker, f, x):
    maker.calls += 1
    if maker.calls > MOST_CALLS:
        raise Unclear
    return Frame(maker, f, x).run()


# --- What catches ------------------------------------------------------------
def as_error(panic):
    value = panic.value
    if not is_error(value):
        value = Err("made", text(value))
        value.also = panic.also
    elif value.kind == "plain" and panic.also:
        value = own(value)
        value.also = panic.also
    return value


def tried(call):
    """try(call): (v, err)."""
    try:
        values = list(all_of(call()))
    except Thrown as thrown:
        return None, as_error(thrown.panic)
    error = None
    if values and is_error(values[-1]):
        error = values.pop()
    elif len(values) > 1 and values[-1] is None:
        values.pop()
    return (values if len(values) > 1 else values[0] if values else None), error


def awaited(maker, call):
    """<-go call(). In a group a panic of the task fails that."""
    try:
        return call()
    except Thrown as thrown:
        if maker.groups:
            raise Unclear from None
        again = Thrown(thrown.panic.value)
        again.panic.foreign = thrown.panic.foreign or bool(thrown.panic.older)
        if not again.panic.also:
            for error in thrown.panic.also:
                carry(again.panic.value, again.panic, error)
        raise again from None


def in_group(maker, action):
    maker.groups += 1
    try:
        return action()
    finally:
        maker.groups -= 1


def member(maker, call, x):
    """How a member fails its group: (failure, also, returned). None: not."""
    argument = x if call[2] == "x" else call[2]
    try:
        last = last_of(in_group(maker, lambda: run(maker, call[1], argument)))
    except Thrown as thrown:
        return thrown.panic.value, thrown.panic.also, False
    return (last, [], True) if is_error(last) else None


def grouped(maker, call, x, valued=False, body=()):
    """A block with one member. body: what the deferred calls of its body gave,
    which waits until it is cancelled, or the error with which it returns."""
    failed = member(maker, call, x)
    if failed is None:
        return None
    failure, also, returned = failed
    if valued and returned:
        if body and failure.kind == "struct":
            thrown = Thrown(body[0])
            for error in [*body[1:], failure]:
                carry_in_panic(thrown.panic, error)
            raise thrown
        if body:
            failure = own(failure)
        for error in body:
            carry(failure, failure, error)
        return failure
    thrown = Thrown(failure)
    for error in [*body, *also]:
        carry_in_panic(thrown.panic, error)
    raise thrown


# --- The main part -----------------------------------------------------------
def one_way(maker, f, x, way):
    call = ("call", f, x)
    name = f.full_name()

    def called():
        return run(maker, f, x)
    if way.startswith("take"):
        return [deliver(called(), int(way[4:]), name)]
    if way.startswith("task") and way != "task_stmt":
        return [deliver(awaited(maker, called), int(way[4:]), "the task")]
    if way == "all":
        return [[list(all_of(called()))]]
    if way in ("stmt", "task_stmt"):
        dropped(called() if way == "stmt" else awaited(maker, called))
    if way == "drop":
        called()
    if way == "try":
        return [list(tried(called))]
    if way == "select":
        return [deliver(awaited(maker, called), 2, "the task")]
    if way == "group":
        grouped(maker, call, x)
    if way == "group_value":
        return [[grouped(maker, call, x, valued=True)]]
    if way == "map":
        return [mapped(called)]
    return []


def mapped(called):
    results = called()
    if is_error(last_of(results)):
        return [None, last_of(results)]
    values = deliver(results, 2, "func@", hint=": the second is nil or an error (one value: `xs.map(f)`)")
    if values[1] is not None:
        raise panic_text("list.try_map: " + no_error(values[1]))
    return [[values[0]], None]


def uncaught(maker, f, x):
    """The reports of a call at the end of the program, or None."""
    maker.calls = maker.groups = 0
    try:
        dropped(run(maker, f, x))
    except Unclear:
        pass
    except Thrown as thrown:
        panic = thrown.panic
        if not panic.foreign and len(panic.older) < MOST_OLDER:
            return [line for p in panic.older + [panic] for line in report(p.value, p.also)]
    return None


def outcome(maker, f, x, way):
    maker.calls = maker.groups = 0
    return tried(lambda: one_way(maker, f, x, way))
