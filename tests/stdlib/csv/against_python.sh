# Random tables, against Python's csv: what one writes the other reads as the
# same rows. Of texts where bytes were changed, both read the same rows, or they
# are wrong as RFC 4180 has it, which a few lines of Python say.
# small: CSPDEBUG=gcstress=31
# expect: 2000 tables, 8000 texts
# timeout: 60
# once: one thread, and the same each time
cat > "$TMPDIR/shared.py" <<'P'
import csv, io, random, re, sys
folder = sys.argv[1]
SEPARATORS = [",", ";", "\t", "|", " "]
def written(rows, n, quoting=csv.QUOTE_MINIMAL, end="\n"):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=SEPARATORS[n % 5], lineterminator=end, quoting=quoting).writerows(rows)
    return out.getvalue()
# A list of rows as text that has nothing to do with CSV.
def shown(rows):
    return "/".join(" ".join((c.encode().hex() or "-") for c in row) for row in rows)
P
cat > "$TMPDIR/make.py" <<'P'
from shared import *
CHARS = ["a", "é", "中", "😀", '"', ",", ";", "\t", "|", " ", "\n", "\r", "\r\n", "\\", "'", "#", "\ufeff", "\x01"]
def cell(rng):
    return "".join(rng.choice(CHARS) for _ in range(rng.choice([0, 1, 1, 2, 5, 30])))
def table(rng):
    columns = rng.choice([1, 1, 2, 3, 8, 70])
    return [[cell(rng) for _ in range(columns)] for _ in range(rng.choice([1, 2, 5, 20]))]
# The rows that Python reads, or "wrong": Python takes more than RFC 4180.
GRAMMAR = {}
def read(text, n):
    s = re.escape(SEPARATORS[n % 5])
    if s not in GRAMMAR:
        one = r'(?:"(?:[^"]|"")*"|[^"\r\n%s][^"\r\n%s]*|)' % (s, s)
        GRAMMAR[s] = re.compile(r"(?:%s(?:%s%s)*(?:\r?\n|\Z))*\Z" % (one, s, one))
    text = text.removeprefix("\ufeff")
    if len(text) > 0 and not GRAMMAR[s].match(text): return "wrong"
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[n % 5]) if row]
    return shown(rows) if len({len(row) for row in rows}) < 2 else "wrong"
with open(folder + "/tables", "w") as tables, open(folder + "/texts", "w") as texts:
    for n in range(2000):
        rng = random.Random(n)
        rows = table(rng)
        quoting, end = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), rng.choice(["\n", "\r\n"])
        # It writes carriage returns without quotes unless they are in its ends.
        text = written(rows, n, csv.QUOTE_ALL if any("\r" in c for row in rows for c in row) else quoting, end)
        # The same holds for a byte order mark, which readers pass over.
        if text.startswith("\ufeff"): text = "\ufeff" + text
        tables.write("%s %s\n" % (text.encode().hex(), shown(rows)))
    for n in range(8000):
        rng = random.Random(-1 - n)
        text = list(written(table(rng), n)[:200])
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(text) + 1)
            if rng.random() < 0.4: del text[at:at + rng.randrange(1, 4)]
            else: text[at:at] = [rng.choice(CHARS + ['"', '"', "\n", SEPARATORS[n % 5]])]
        text = "".join(text)
        texts.write("%s %s\n" % (text.encode().hex(), read(text, n)))
P
cat > "$TMPDIR/check.py" <<'P'
from shared import *
lines = open(folder + "/tables").read().split("\n")[:-1]
ours = open(folder + "/written").read().split("\n")[:-1]
assert len(lines) == len(ours) == 2000
for n, (line, text) in enumerate(zip(lines, ours)):
    text = bytes.fromhex(text).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[n % 5]))
    assert shown(rows) == line.partition(" ")[2], (n, text)
P
cat > "$TMPDIR/main.csp" <<'P'
import binary "bytes"
import "csv"
import "os"
const SEPARATORS = [",", ";", "\t", "|", " "]
folder := os.args[0]
func shown(rows) => rows.map(func(row) => row.map(func(c) => (if c == "" { "-" } else { bytes(c).hex() })).join(" ")).join("/")
func streamed(text, separator) {
  at, out := 0, []
  read := func() {
    piece := text[at:min(at + 7, len(text))]
    at += len(piece)
    return (if piece == "" { nil } else { piece }), nil
  }
  for (row, err) in csv.rows(read, separator: separator) {
    if err != nil { return "wrong" }
    out.push(row)
  }
  return shown(out)
}
written, texts := [], 0
for line in os.lines(folder + "/tables")? {
  at := line.index(" ")
  separator := SEPARATORS[len(written) % 5]
  rows, err := csv.parse(binary.from_hex(line[:at])?, separator: separator)
  assert(err == nil, err)
  if shown(rows) != line[at + 1:] { println("read otherwise:", str(binary.from_hex(line[:at])?), rows) }
  text := csv.text(rows, separator: separator, crlf: len(written) % 2 == 0)?
  written.push(bytes(text).hex())
}
os.write_file(folder + "/written", written.join("\n") + "\n")
for line in os.lines(folder + "/texts")? {
  at := line.index(" ")
  at = if at == nil { len(line) } else { at }
  separator := SEPARATORS[texts % 5]
  data := binary.from_hex(line[:at])?
  rows, err := csv.parse(data, separator: separator)
  got := if err == nil { shown(rows) } else { "wrong" }
  if got != line[at + 1:] { println("read otherwise:", str(data), separator, rows, err) }
  assert(streamed(str(data), separator) == got)
  texts++
}
println("${len(written)} tables, ${texts} texts")
P
PYTHONPATH=$TMPDIR python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
PYTHONPATH=$TMPDIR python3 "$TMPDIR/check.py" "$TMPDIR"
grep -c ' wrong$' "$TMPDIR/texts" | awk '$1 < 1000 || $1 > 7000 { print "there are", $1, "wrong texts" }'
