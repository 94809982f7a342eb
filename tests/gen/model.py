# SPDX-License-Identifier: MIT
"""What operators mean, said a second time: docs/language.md in Python.

A value is an int (64 bits, signed), a float, a str (ASCII), a bool or None.
What panics raises Panic with the message that the program must show. `text`
writes a value as println does."""

import decimal
import math

decimal.getcontext().prec = 1100  # floats are exact
MIN, MAX = -2 ** 63, 2 ** 63 - 1
TYPE_NAMES = {int: "int", float: "float", str: "string", bool: "bool",
              type(None): "nil"}


class Panic(Exception):
    """A panic of the program; its text is the message."""


def type_name(value):
    return TYPE_NAMES[type(value)]


def truth(value):
    return value is not None and value is not False


def is_number(value):
    return type(value) in (int, float)


def wrap(number):
    return (number - MIN) % 2 ** 64 + MIN


def half_up(value, shortest):
    """Of two shortest decimals equally near, Python takes the even one."""
    exact, there = decimal.Decimal(value), decimal.Decimal(shortest)
    last = decimal.Decimal(1).scaleb(there.as_tuple().exponent)
    if abs(exact - there) * 2 != last or abs(exact) < abs(there):
        return shortest
    other = there + last.copy_sign(there)
    return str(other) if float(other) == value else shortest


def float_text(value):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    shortest = half_up(value, repr(value))
    if "e" in shortest and 1 < abs(value) < 1e21:
        shortest = format(decimal.Decimal(shortest), "f")
    if not set(shortest) & set(".e"):
        shortest += ".0"
    return shortest


def text(value):
    if value is None:
        return "nil"
    if type(value) is bool:
        return "true" if value else "false"
    return float_text(value) if type(value) is float else str(value)


# --- Ints --------------------------------------------------------------------
def int_divide(op, a, b):
    if b == 0:
        raise Panic("division by zero")
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if op == "/" else a - b * quotient


def int_shift(op, a, b):
    if b < 0:
        raise Panic("negative shift count %d" % b)
    return wrap(a << min(b, 64)) if op == "<<" else a >> min(b, 64)


EXACT = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
WRAPPING = {"+%": EXACT["+"], "-%": EXACT["-"], "*%": EXACT["*"],
            "&": lambda a, b: a & b, "|": lambda a, b: a | b,
            "^": lambda a, b: a ^ b}


def int_op(op, a, b):
    if op in WRAPPING:
        return wrap(WRAPPING[op](a, b))
    if op in ("<<", ">>"):
        return int_shift(op, a, b)
    result = EXACT[op](a, b) if op in EXACT else int_divide(op, a, b)
    if not MIN <= result <= MAX:
        raise Panic("integer overflow: %d %s %d" % (a, op, b))
    return result


# --- Floats, and all together ------------------------------------------------
def float_divide(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def float_mod(a, b):
    if math.isinf(a) or b == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.fmod(a, b)


FLOAT = {"+": lambda a, b: a + b, "-": lambda a, b: a - b,
         "*": lambda a, b: a * b, "/": float_divide, "%": float_mod}


def wrong_types(op, a, b):
    raise Panic("cannot apply `%s` to %s and %s" % (op, type_name(a), type_name(b)))


def binary(op, a, b):
    if type(a) is int and type(b) is int:
        return int_op(op, a, b)
    if is_number(a) and is_number(b) and op in FLOAT:
        return FLOAT[op](float(a), float(b))
    if op == "+" and type(a) is str and type(b) is str:
        return a + b
    return wrong_types(op, a, b)


def equal(a, b):
    if is_number(a) and is_number(b):
        return a == b  # Python compares an int with a float exactly, too
    return type(a) is type(b) and a == b


ORDER = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
         ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def compare(op, a, b):
    if op in ("==", "!="):
        return equal(a, b) == (op == "==")
    if is_number(a) and is_number(b) or type(a) is str and type(b) is str:
        return ORDER[op](a, b)
    return wrong_types(op, a, b)


def unary(op, a):
    if op == "!":
        return not truth(a)
    if op == "-" and type(a) is float:
        return -a
    if type(a) is not int:
        raise Panic("cannot apply unary `%s` to %s" % (op, type_name(a)))
    if op == "^":
        return ~a
    if a == MIN:
        raise Panic("integer overflow: -(%d)" % a)
    return -a
