# Random documents, against Python's tomllib: both read the same values, and
# both refuse or take the same texts where characters were changed.
# expect: 8000 texts, more than a third of them read
# timeout: 120
# once: one thread, and the same each time
# small: CSPDEBUG=
cat > "$TMPDIR/make.py" <<'P'
import random, sys
random.seed(5)
pick = random.choice
def bare(): return pick(["a", "b", "c", "d-e", "F_1", "12"])
def key():
    return pick([bare, bare, bare, lambda: '"%s"' % pick(["a", "b c", "\\u00e9", "x.y", ""]), lambda: "'%s'" % pick(["a", "b", "é\"", "\\"])])()
def keys(most=3): return pick([".", " . ", ".\t", "."]).join(key() for _ in range(pick([1, 1, 1, 2, most])))
BASIC = ["x", " ", "é", "😀", "\\n", "\\\\", '\\"', "\\u0041", "\\U0001F600", "\t", "'", "#", "\\b", "\\f\\r\\t"]
def text():
    lines = pick([["\n", "\r\n", "\\\n  ", '"', '""'], []])
    body = "".join(pick(BASIC + lines * 2) for _ in range(random.randrange(7)))
    if lines: return '"""' + pick(["", "\n", "\r\n"]) + body.replace('"""', "") + pick(["", "x"]) + '"""'
    return '"' + body + '"'
def literal():
    body = "".join(pick(["x", "é", "\\", "\"", " ", "\t", "#"]) for _ in range(random.randrange(6)))
    if random.random() < 0.4: return "'''" + pick(["", "\n"]) + body + pick(["", "\n'", "''\\"]) + body + "'''"
    return "'" + body + "'"
def digits(n=6): return "".join(pick("0123456789") + pick(["", "", "", "", "_"]) for _ in range(random.randrange(1, n))).strip("_")
def integer():
    return pick([lambda: pick(["", "", "-", "+"]) + pick(["0", pick("123456789") + pick(["", "_", ""]) + digits(), str(random.randrange(2**62, 2**64))]),
                 lambda: "0x" + pick("0aF7") + digits(), lambda: "0o" + pick("0123") + pick(["", "_7", "1"]), lambda: "0b" + pick("01") + pick(["", "_1", "01"])])()
def real():
    out = pick(["", "-", "+"]) + pick(["0", pick("123456789") + digits(4)])
    out += pick([".", ".", ""]) and "." + digits(5)
    if random.random() < 0.4: out += pick("eE") + pick(["", "+", "-"]) + pick(["0", ""]) + digits(3)
    return pick([out, out, out, pick(["", "+", "-"]) + pick(["inf", "nan"])])
def date(): return "%04d-%02d-%02d" % (pick([1, 1677, 1678, 1969, 1970, 2000, 2023, 2024, 2262, 9999]), random.randrange(0, 14), pick([0, 1, 15, 28, 29, 30, 31, 32]))
def clock(): return "%02d:%02d:%02d" % (random.randrange(25), random.randrange(61), pick([0, 30, 59, 60])) + pick(["", "", ".5", ".123456", ".000001"])
def moment():
    return pick([date, clock, lambda: date() + pick("Tt ") + clock(), lambda: date() + pick("Tt ") + clock() + pick(["Z", "z", "+01:30", "-23:59", "+24:00", "-00:00"])])()
def blank(): return pick(["", "", " ", "\t", " # c\n", "\n", "\n\n# é\n"])
def array(deep): return "[" + blank() + ("," + blank()).join(value(deep - 1) + blank() for _ in range(random.randrange(4))) + pick(["", "", ","]) + blank() + "]"
def inline(deep): return "{" + pick(["", " "]) + ", ".join(keys(2) + pick(["=", " = "]) + value(deep - 1) for _ in range(random.randrange(3))) + pick(["", " "]) + "}"
def value(deep):
    kinds = [text, literal, integer, real, moment, lambda: pick(["true", "false"])]
    if deep > 0: kinds += [lambda: array(deep), lambda: inline(deep)] * 2
    return pick(kinds)()
def document():
    out = ""
    for _ in range(random.randrange(1, 9)):
        kind = random.randrange(6)
        if kind == 0: out += "[" + pick(["", " "]) + keys() + "]"
        elif kind == 1: out += "[[" + keys(2) + pick(["", "\t"]) + "]]"
        elif kind == 2: out += pick(["", "# c é", "  "])
        else: out += pick(["", "  "]) + keys() + pick(["=", " = "]) + value(2)
        out += pick(["", "", " ", " # x"]) + pick(["\n", "\n", "\n", "\r\n"])
    return out
CHANGES = list("\"'\\[]{}=.,#+-_:0aTZ \t\n\r\0\x7fé") + ["\"\"\"", "'''", "\\u", "\r\n", "[[", "]]", "0x", "1979-05-27", "e"]
with open(sys.argv[1] + "/texts", "w", newline="") as f:
    for n in range(8000):
        t = document()
        for _ in range(pick([0, 0, 0, 1, 1, 2])):
            at = random.randrange(len(t) + 1)
            t = t[:at] + pick(CHANGES) + t[at + random.randrange(3):]
        f.write(t.encode().hex() + "\n")
P
cat > "$TMPDIR/main.csp" <<'P'
import bin "bytes"
import "json"
import "os"
import "toml"
// What JSON has no form for, as text.
func plain(v) {
  if v is list { return v.map(plain) }
  if v is float { return {float: str(v)} }
  if !(v is map) { return v }
  out := {}
  for key, value in v { out["k" + key] = plain(value) }
  return out
}
file := os.open(os.args[0] + "/read", "w")?
for line in os.lines(os.args[0] + "/texts")? {
  text := bin.from_hex(line)?
  value, err := toml.parse(text)
  file.write(json.text((if err == nil { [plain(value)] } else { [nil, err.message, err.code] }))?, "\n")
}
file.close()
P
cat > "$TMPDIR/check.py" <<'P'
import datetime, json, math, re, sys, tomllib
class Range(Exception): pass
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
def real(digits):
    x = float(digits)
    if math.isinf(x) and "inf" not in digits: raise Range
    return x
def ns(moment):
    try: d = moment - EPOCH
    except OverflowError: raise Range
    n = ((d.days * 86400 + d.seconds) * 10**6 + d.microseconds) * 1000
    if not -2**63 <= n < 2**63: raise Range
    return n
def check(v):
    if isinstance(v, dict):
        for x in v.values(): check(x)
    elif isinstance(v, list):
        for x in v: check(x)
    elif type(v) is int and not -2**63 <= v < 2**63: raise Range
    elif type(v) is datetime.datetime and v.tzinfo: ns(v)
def same(ours, v):
    if isinstance(v, dict): return isinstance(ours, dict) and list(ours) == ["k" + k for k in v] and all(same(ours["k" + k], v[k]) for k in v)
    if isinstance(v, list): return isinstance(ours, list) and len(ours) == len(v) and all(map(same, ours, v))
    if type(v) is float:
        x = float(ours["float"])
        return x == v and math.copysign(1, x) == math.copysign(1, v) or (x != x and v != v)
    if type(v) is datetime.datetime: return ours == ns(v) if v.tzinfo else datetime.datetime.fromisoformat(ours) == v
    if type(v) is datetime.date: return datetime.date.fromisoformat(ours) == v
    if type(v) is datetime.time: return datetime.time.fromisoformat(ours) == v
    return type(ours) is type(v) and ours == v
count = read = 0
for line, result in zip(open(sys.argv[1] + "/texts"), open(sys.argv[1] + "/read")):
    text, ours = bytes.fromhex(line).decode(), json.loads(result)
    # Lone carriage returns in strings of lines are refused by ours, as the
    # specification says, and taken by Python.
    lone = re.search("\r(?!\n)", text) is not None
    try:
        v = tomllib.loads(text, parse_float=real)
        check(v)
        if len(ours) > 1 and not lone: print("ours refuses", repr(text), ours[1:])
        elif len(ours) == 1 and not same(ours[0], v): print("differs", repr(text), ours, v)
        read += len(ours) == 1
    except Range:
        if len(ours) == 1: print("ours takes", repr(text), ours)
    except (tomllib.TOMLDecodeError, ValueError) as e:
        if len(ours) == 1: print("Python refuses", repr(text), ours, e)
    count += 1
print(f"{count} texts, " + ("more than a third of them read" if read * 3 > count else f"{read} of them read"))
P
python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
python3 "$TMPDIR/check.py" "$TMPDIR"
