# Random texts, against Python's textwrap: wrap, dedent, indent. Words are not
# broken at hyphens, runs of blanks are one, and blanks at the ends of lines go.
# And all characters, of which Python knows the widths.
# expect: 3000 texts wrapped, 2000 dedented and indented
# expect: 1112064 widths
# timeout: 120
# once: one thread, and the same each time
# small: CSPDEBUG=
cat > "$TMPDIR/make.py" <<'P'
import json, random, sys
random.seed(3)
pick = random.choice
def word(): return "".join(pick("abcé-.,") for _ in range(pick([1, 2, 3, 5, 8, 30])))
def text():
    paragraphs = [pick([" ", "\n"]).join(pick(["", "", " "]) + word() for _ in range(random.randrange(1, 20))) for _ in range(pick([1, 1, 2, 3]))]
    return pick(["\n\n", "\n \n\n"]).join(paragraphs)
def lines(): return pick(["\n", "\n", "\n\n"]).join(pick(["", " ", "  ", "    ", "\t", "\t "]) + pick(["", word(), word() + " " + word()]) for _ in range(random.randrange(1, 8)))
with open(sys.argv[1] + "/jobs", "w") as f:
    for _ in range(3000):
        indent, first = pick(["", "  ", "> ", "a long one "]), pick(["", "* ", "first: "])
        least = max(len(indent), len(first))  # Python begins a line with a blank where there is no room
        f.write(json.dumps(["wrap", text(), least + random.randrange(1, 30), indent, first]) + "\n")
    for _ in range(2000): f.write(json.dumps(["lines", lines(), pick(["> ", "  "])]) + "\n")
P
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
import "strings"
import "text"
folder := os.args[0]
out := os.open(folder + "/made", "w")?
for line in os.read_file(folder + "/jobs")?.lines() {
  job := json.parse(line)?
  made := if job[0] == "wrap" {
    [text.wrap(job[1], job[2], indent: job[3], first: job[4])]
  } else {
    [text.dedent(job[1]), text.indent(job[1], job[2])]
  }
  out.write(json.text(made)? + "\n")?
}
widths := []
for c in 0x110000 {
  if !(c in 0xd800..0xe000) { widths.push(text.width(strings.from_runes([c]))) }
}
os.write_file(folder + "/widths", widths.join())?
P
cat > "$TMPDIR/check.py" <<'P'
import json, re, sys, textwrap, unicodedata
def paragraphs(text):
    out = [[]]
    for line in text.split("\n"):
        if line.split(): out[-1] += line.split()
        elif out[-1]: out.append([])
    return [" ".join(words) for words in out if words]
def wrapped(text, width, indent, first):
    out = []
    for i, paragraph in enumerate(paragraphs(text)):
        lines = textwrap.wrap(paragraph, width, initial_indent=indent if i else first, subsequent_indent=indent, break_on_hyphens=False)
        out.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(out)
counts = [0, 0]
for line, made in zip(open(sys.argv[1] + "/jobs"), open(sys.argv[1] + "/made")):
    job, made = json.loads(line), json.loads(made)
    counts[job[0] == "lines"] += 1
    if job[0] == "wrap":
        wanted = [wrapped(*job[1:])]
        made = ["\n".join(line.rstrip() for line in made[0].split("\n"))]
    else: wanted = [textwrap.dedent(job[1]), textwrap.indent(job[1], job[2])]
    if made != wanted: print(job, made, wanted)
print(f"{counts[0]} texts wrapped, {counts[1]} dedented and indented")
def width(c):
    if c < 32 or c == 127: return 0
    category = unicodedata.category(chr(c))
    if c != 0xad and c >= 128 and (category in ("Mn", "Me", "Cf") or 0x1160 <= c < 0x1200): return 0
    return 2 if unicodedata.east_asian_width(chr(c)) in "WF" else 1
same = unicodedata.unidata_version == "14.0.0"
widths = open(sys.argv[1] + "/widths").read()
wanted = "".join(str(width(c)) for c in range(0x110000) if not 0xd800 <= c < 0xe000)
if same and widths != wanted: print("other widths")
print(len(widths), "widths")
P
python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
python3 "$TMPDIR/check.py" "$TMPDIR"
