# Random values, against Python's json: what one writes the other reads as the
# same value, and both refuse or take the same texts where bytes were changed.
# small: CSPDEBUG=gcstress=31
# expect: 3000 values, 6000 texts
# timeout: 60
# once: one thread, and the same each time
cat > "$TMPDIR/make.py" <<'P'
import json, math, random, struct, sys
random.seed(7)
CHARS = ["a", "é", "中", "😀", '"', "\\", "/", "\n", "\x01", "\x7f", "\u2028", " ", "\0"]
def text():
    return "".join(random.choice(CHARS) for _ in range(random.choice([0, 1, 3, 8, 40, 300])))
def number():
    kind = random.randrange(4)
    if kind == 0: return random.randrange(-2**63, 2**63) >> random.randrange(64)
    if kind == 1: return random.uniform(-1000, 1000)
    if kind == 2: return random.randrange(10**9) / 10**random.randrange(12)
    x = struct.unpack("<d", random.randbytes(8))[0]
    return x if math.isfinite(x) else 0.5
def value(deep):
    kind = random.randrange(8 if deep else 4)
    if kind == 0: return random.choice([None, True, False])
    if kind == 1: return text()
    if kind < 4: return number()
    if kind < 6: return [value(deep - 1) for _ in range(random.choice([0, 1, 2, 5, 30]))]
    return {text() + str(n): value(deep - 1) for n in range(random.choice([0, 1, 4, 9, 20]))}
def refused(text):  # what Python takes beyond RFC 8259, or we refuse on purpose
    def pairs(items):
        if len(dict(items)) < len(items): raise ValueError
        return dict(items)
    def integer(digits):
        n = int(digits)
        if not -2**63 <= n < 2**63: raise ValueError
        return n
    def real(digits):
        x = float(digits)
        if not math.isfinite(x): raise ValueError
        return x
    def constant(name): raise ValueError
    try:
        v = json.loads(text.decode("utf-8"), object_pairs_hook=pairs, parse_int=integer,
                       parse_float=real, parse_constant=constant)
        json.dumps(v, ensure_ascii=False).encode("utf-8")  # half of a pair
        return text.startswith(b"\xef\xbb\xbf")
    except (ValueError, UnicodeError, RecursionError):
        return True
values = [value(4 if n % 50 == 0 else 2) for n in range(3000)]
with open(sys.argv[1] + "/values", "w", encoding="utf-8") as f:
    for n, v in enumerate(values):
        f.write(json.dumps(v, ensure_ascii=n % 2 == 0, separators=random.choice([None, (",", ":"), (" , ", " : ")]))
                .replace("\u2028", "\\u2028" if n % 3 else "\u2028") + "\n")
with open(sys.argv[1] + "/changed", "w", encoding="utf-8") as f:
    for n in range(6000):
        b = bytearray(json.dumps(random.choice(values), ensure_ascii=n % 2 == 0).encode()[:400])
        for _ in range(random.randrange(3)):
            at = random.randrange(len(b) + 1)
            if random.random() < 0.4: del b[at:at + random.randrange(1, 4)]
            else: b[at:at] = random.choice(b'"\\[]{},:0-1.eEu tn\x01\xff\xc3\xa9/')  .to_bytes(1, "big")
        f.write(b.hex() + " " + str(refused(bytes(b))).lower() + "\n")
P
cat > "$TMPDIR/check.py" <<'P'
import json, struct, sys
def same(a, b):
    if type(a) is not type(b): return False
    if type(a) is float: return struct.pack("<d", a) == struct.pack("<d", b)
    if type(a) is list: return len(a) == len(b) and all(map(same, a, b))
    if type(a) is dict: return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return a == b
lines = lambda name: open(sys.argv[1] + "/" + name, encoding="utf-8", newline="\n").read().split("\n")[:-1]
wanted, got, spread = lines("values"), lines("written"), lines("spread")
assert len(wanted) == len(got) == len(spread) == 3000
for a, b, c in zip(wanted, got, spread):
    assert same(json.loads(a), json.loads(b)) and same(json.loads(a), json.loads(json.loads(c))), (a, b)
P
cat > "$TMPDIR/main.csp" <<'P'
import binary "bytes"
import "json"
import "os"
folder := os.args[0]
written, spread, values, texts := [], [], 0, 0
for line in os.read_file(folder + "/values")?.split("\n") {
  if line == "" { continue }
  value := json.parse(line)?
  written.push(json.text(value)?)
  spread.push(json.text(json.text(value, 3)?)?)
  values++
}
os.write_file(folder + "/written", written.join("\n") + "\n")
os.write_file(folder + "/spread", spread.join("\n") + "\n")
for line in os.lines(folder + "/changed")? {
  [digits, refused] := line.split(" ")
  value, err := json.parse(binary.from_hex(digits)?)
  if (err != nil) != (refused == "true") { println(str(binary.from_hex(digits)?), refused, err) }
  texts++
}
println("${values} values, ${texts} texts")
P
python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
python3 "$TMPDIR/check.py" "$TMPDIR"
