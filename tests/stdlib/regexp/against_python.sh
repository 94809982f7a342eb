# Random patterns and texts, against Python's re: the places of all matches and
# of their groups, replacements, and parts between matches. Patterns are of what
# both know. A star is of no part that may match nothing, and `$` is \z. SEED=N
# makes others. (In the empty text Python finds no \B, so there is none.)
# small: CSPDEBUG=gcstress=31
# expect: 4000 patterns, 16000 texts
# timeout: 90
# once: one thread, and the same each time
cat > "$TMPDIR/make.py" <<'P'
import json, random, re, signal, sys
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 11)
LETTERS = "abAB01_ -\né中😀"
class Made:
    def __init__(self): self.groups, self.names = 0, []
    def literal(self):
        c = random.choice(LETTERS)
        return (re.escape(c), c), 1
    def char_class(self):
        kind = random.randrange(6)
        if kind == 0: return (random.choice([r"\d", r"\w", r"\D", r"\W"]),) * 2, 1
        if kind == 1: return ("[ \\n]", r"\s"), 1
        if kind == 2: return (".", "."), 1
        items = "".join(random.choice(["a", "b", "A-B", "0-1", "é", "中", " ", "a-b", "\\d", "\\w", "\\n"])
                        for _ in range(random.randrange(1, 4)))
        text = "[" + random.choice(["", "^"]) + items + "]"
        return (text, text), 1
    def assertion(self):
        return random.choice([("^", "^"), (r"\Z", "$"), (r"\b", r"\b"), (r"\B", r"\B"), (r"\A", r"\A"),
                              ("(?m:^)", "(?m:^)"), ("(?m:$)", "(?m:$)"), (r"\Z", r"\z")]), 0
    def group(self, deep):
        kind = random.randrange(4)
        if kind == 0: head = "(?:", "(?:"
        elif kind == 1:
            self.groups += 1
            name = f"n{self.groups}"
            self.names.append(name)
            head = f"(?P<{name}>", random.choice([f"(?P<{name}>", f"(?<{name}>"])
        elif kind == 2: head = ("(?s:",) * 2
        else:
            self.groups += 1
            head = "(", "("
        (python, ours), least = self.alternatives(deep - 1)
        return (head[0] + python + ")", head[1] + ours + ")"), least
    def atom(self, deep):
        kind = random.randrange(12)
        if kind < 4: return self.literal()
        if kind < 7: return self.char_class()
        if kind == 7: return self.assertion()
        return self.group(deep) if deep else self.literal()
    def repeated(self, deep):
        (python, ours), least = self.atom(deep)
        if random.randrange(3) or least == 0: return (python, ours), least
        operator, none = random.choice([("*", 1), ("+", 0), ("?", 1), ("{2}", 0), ("{0,2}", 1), ("{1,}", 0),
                                        ("{1,3}", 0)])
        operator += random.choice(["", "?"])
        return (python + operator, ours + operator), 0 if none else least
    def sequence(self, deep):
        parts = [self.repeated(deep) for _ in range(random.choice([1, 1, 2, 3, 4]))]
        return ("".join(p for (p, _), _ in parts), "".join(o for (_, o), _ in parts)), sum(n for _, n in parts)
    def alternatives(self, deep):
        parts = [self.sequence(deep) for _ in range(random.choice([1, 1, 1, 2, 3]))]
        return ("|".join(p for (p, _), _ in parts), "|".join(o for (_, o), _ in parts)), min(n for _, n in parts)
def text():
    letters = random.choice([LETTERS, "ab", "aB0 ", "é中a"])
    return "".join(random.choice(letters) for _ in range(random.choice([1, 2, 5, 9, 20])))
def bytes_before(s):
    places = [0]
    for c in s: places.append(places[-1] + len(c.encode()))
    return places
def matches(pattern, s):  # an empty match where the one before it ended is none
    out, before, at = [], -1, 0
    while at <= len(s):
        m = pattern.search(s, at)
        if not m: break
        if not (m.start() == m.end() == before): out.append(m)
        before = m.end()
        at = m.end() + (m.end() == at)
    return out
def spans(m, places):
    return [None if m.start(g) < 0 else [places[m.start(g)], places[m.end(g)]] for g in range(m.re.groups + 1)]
def parts_of(found, s):
    parts, at, last = [], 0, 0
    for m in found:
        if m.end() > 0: parts.append(s[at:m.start()])
        at, last = m.end(), m.start()
    return parts + [s[at:]] if last != len(s) else parts
def make():
    made = Made()
    (python, ours), _ = made.alternatives(2)
    pattern = re.compile(python, re.ASCII)
    group = random.randrange(pattern.groups + 1)
    case = {"pattern": ours, "with": "<${%d}>" % group, "texts": []}
    for _ in range(4):
        s = text()
        places, found = bytes_before(s), matches(pattern, s)
        replaced, at = "", 0
        for m in found:
            replaced += s[at:m.start()] + "<" + (m.group(group) or "") + ">"
            at = m.end()
        case["texts"].append([s, [spans(m, places) for m in found], replaced + s[at:], parts_of(found, s)])
    return json.dumps(case, ensure_ascii=False) + "\n"
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
with open(sys.argv[1] + "/cases", "w", encoding="utf-8") as f:
    for n in range(4000):
        case = None
        while case is None:  # some patterns take Python for ever
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                case = make()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except TimeoutError:
                pass
        f.write(case)
P
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
import "regexp"
func plain(match) => list(match.spans).map(func(span) => if span == nil { nil } else { list(span) })
func run() {
  patterns, texts := 0, 0
  for (row, err) in json.lines(os.open(os.args[0] + "/cases")?) {
    if err != nil { return err }
    re := regexp.compile(row.pattern)?
    for (text, spans, replaced, parts) in row.texts {
      found := re.find_all(text)
      fine := equal(found.map(plain), spans) && re.replace(text, row["with"]) == replaced
      fine = fine && equal(re.split(text), parts) && re.match(text) == (len(spans) > 0)
      first := re.find(text)
      fine = fine && (if len(spans) == 0 { first == nil } else { equal(plain(first), spans[0]) })
      fine = fine && found.all(func(m) => m.text == text[m.start:m.end] && m.groups[0] == m.text)
      if !fine { println(row.pattern.quote(), text.quote(), found.map(plain), spans, re.split(text), parts) }
      texts++
    }
    patterns++
  }
  println("${patterns} patterns, ${texts} texts")
}
run()?
P
python3 "$TMPDIR/make.py" "$TMPDIR" ${SEED:-}
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
