# html.unescape against Python's: each name, with and without what may follow,
# each number up to U+10FFFF and some beyond, and random texts.
# expect: 2231 names, 1114200 numbers, 20000 texts
# timeout: 60
# once: one thread, and the same each time
# small: CSPDEBUG=
cat > "$TMPDIR/make.py" <<'P'
import html, json, random, sys
from html.entities import html5
random.seed(5)
pick = random.choice
names = sorted(html5)
def write(name, texts):
    with open(sys.argv[1] + "/" + name, "w", encoding="utf-8") as f:
        for t in texts: f.write(json.dumps([t, html.unescape(t)], ensure_ascii=False) + "\n")
write("names", ("|".join("&" + name + after for after in ["", ";", "x", "=", "&", " ", "é"]) + "&" + name[:-1] for name in names))
write("numbers", ("".join("&#%d;" % n for n in range(at, at + 50)) + "".join("&#x%x;" % n for n in range(at, at + 50)) for at in range(0, 0x110000 + 88, 50)))
PARTS = ["&", "#", "x", "X", ";", "0", "1", "12", "9", "a", "f", "é", " ", "<", "😀", "no", "t", "amp", "&amp", "&lt;", "&#", "&#x", "65", "\0", "\n"]
def text(): return "".join(pick(PARTS) if random.random() < 0.8 else "&" + pick(names) for _ in range(random.randrange(12)))
write("texts", (text() for _ in range(20000)))
P
cat > "$TMPDIR/main.csp" <<'P'
import "html"
import "json"
import "os"
func check(name, each) {
  count := 0
  for line in os.read_file("${os.args[0]}/${name}")?.lines() {
    [text, wanted] := json.parse(line)?
    if html.unescape(text) != wanted { println("${text}: ${html.unescape(text)} not ${wanted}") }
    count += each
  }
  return "${count} ${name}", nil
}
println("${check("names", 1)?}, ${check("numbers", 50)?}, ${check("texts", 1)?}")
P
python3 "$TMPDIR/make.py" "$TMPDIR" && "$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
