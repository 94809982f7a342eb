# SPDX-License-Identifier: MIT
"""PCRE2 as an oracle: for each line of oracle.py what its second pattern
finds in each text, in the form of spans.csp. A text that takes PCRE2 more steps
than it may is `.?`."""
import ctypes
import sys

LIB = ctypes.CDLL("libpcre2-8.so.0")
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
for name, result, arguments in (
        ("compile", POINTER, (ctypes.c_char_p, SIZE, ctypes.c_uint32, POINTER, POINTER, POINTER)),
        ("match", ctypes.c_int, (POINTER, ctypes.c_char_p, SIZE, SIZE, ctypes.c_uint32, POINTER, POINTER)),
        ("match_data_create_from_pattern", POINTER, (POINTER, POINTER)),
        ("get_ovector_pointer", ctypes.POINTER(SIZE), (POINTER,)),
        ("get_ovector_count", ctypes.c_uint32, (POINTER,)),
        ("match_context_create", POINTER, (POINTER,)),
        ("set_match_limit", ctypes.c_int, (POINTER, ctypes.c_uint32)),
        ("match_data_free", None, (POINTER,)),
        ("code_free", None, (POINTER,))):
    function = getattr(LIB, "pcre2_%s_8" % name)
    function.restype, function.argtypes = result, arguments

# PCRE2 10.42 makes \P{Nd}??\P{Lu} possessive by mistake, so it does not try.
DOLLAR_ENDONLY, NO_AUTO_POSSESS, UTF, ALT_CIRCUMFLEX = 0x10, 0x4000, 0x80000, 0x200000
OPTIONS = DOLLAR_ENDONLY | NO_AUTO_POSSESS | UTF | ALT_CIRCUMFLEX
NO_MATCH, MATCH_LIMIT, UNSET = -1, -47, SIZE(-1).value


def spans(places, count):
    out = []
    for group in range(count):
        start, end = places[2 * group], places[2 * group + 1]
        out.append("-" if start == UNSET else "%d-%d" % (start, end))
    return "/".join(out) + ","


def after_char(text, at):
    at += 1
    while at < len(text) and text[at] & 0xc0 == 0x80:
        at += 1
    return at


def matches(code, data, context, text):
    """All matches. One that is empty where the one before it ended is none."""
    places, count = LIB.pcre2_get_ovector_pointer_8(data), LIB.pcre2_get_ovector_count_8(data)
    out, before, at = ".", None, 0
    while at <= len(text):
        found = LIB.pcre2_match_8(code, text, len(text), at, 0, data, context)
        if found == NO_MATCH:
            break
        if found == MATCH_LIMIT:
            return ".?"
        if found < 0:
            sys.exit("PCRE2 fails with %d" % found)
        if not places[0] == places[1] == before:
            out += spans(places, count)
        before = places[1]
        at = after_char(text, before) if before == at else before
    return out


def main():
    context = LIB.pcre2_match_context_create_8(None)
    LIB.pcre2_set_match_limit_8(context, 100000)
    wrong, place = ctypes.c_int(), SIZE()
    for line in sys.stdin:
        _, theirs, *texts = (bytes.fromhex(field[1:]) for field in line.split())
        code = LIB.pcre2_compile_8(theirs, len(theirs), OPTIONS,
                                   ctypes.byref(wrong), ctypes.byref(place), None)
        if not code:
            print("wrong: %d at %d" % (wrong.value, place.value))
            continue
        data = LIB.pcre2_match_data_create_from_pattern_8(code, None)
        print("fine", *(matches(code, data, context, text) for text in texts))
        LIB.pcre2_match_data_free_8(data)
        LIB.pcre2_code_free_8(code)


main()
