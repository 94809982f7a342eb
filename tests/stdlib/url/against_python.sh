# Random URLs, queries and references, against Python's urllib: what both take
# has the same parts, joins to the same text and has the same escapes.
# expect: 20000 urls, 5000 references, 3000 texts, 3000 queries
# timeout: 60
# once: one thread, and the same each time
# small: CSPDEBUG=
cat > "$TMPDIR/make.py" <<'P'
import json, random, sys
from urllib.parse import parse_qs, quote, quote_plus, unquote_to_bytes, urlencode, urljoin, urlsplit
random.seed(11)
pick = random.choice
def some(parts, most): return "".join(pick(parts) for _ in range(random.randrange(most)))
SEGMENT = ["a", "B", "c.d", "%2F", "%c3%A9", ";x=1", ":", "@", "~", "!$&'()*,", ".", "..", "0"]
def path(): return "".join(pick(["/", "/", "/", ""]) + some(SEGMENT, 3) for _ in range(random.randrange(5)))
def host():
    return pick([lambda: some(["a", "B", "-", ".", "0", "_", "x1"], 6), lambda: "example.com", lambda: "192.0.2.%d" % random.randrange(300),
                 lambda: "[" + some(["::", "1:", "abCD", ":2", "127.0.0.1", "%25e"], 4) + "]", lambda: "[::1]", lambda: "[2001:Db8::7]"])()
def url():
    out = pick(["http:", "HTTPS:", "ftp:", "x+y:", "file:", "mailto:", ""])
    if random.random() < 0.8:
        out += "//" + pick(["", "", "", "u@", "u:p@", "@", "u:p%40:q@"]) + host() + pick(["", "", ":80", ":", ":65535", ":65536", ":08", ":x"])
    out += path()
    if random.random() < 0.4: out += "?" + some(SEGMENT + ["=", "&", "?", "/"], 6)
    if random.random() < 0.3: out += "#" + some(SEGMENT + ["?", "/"], 4)
    for _ in range(pick([0, 0, 0, 1, 2])):
        at = random.randrange(len(out) + 1)
        out = out[:at] + pick([" ", "\\", "@", "/", "?", "#", "[", "]", "%", "\n", "\t", "\0", "é", ":", "|", "//", "0"]) + out[at + random.randrange(2):]
    return out
def parts(text):
    try: s = urlsplit(text); port = s.port
    except ValueError: return None
    user = s.netloc.rpartition("@")[0]
    # Python cannot tell an empty part from none.
    return [s.scheme, user, s.hostname or "", port, s.path, s.query, s.fragment]
with open(sys.argv[1] + "/urls", "w") as f:
    for _ in range(20000): t = url(); f.write(json.dumps([t, parts(t)]) + "\n")
# Where Python does not do what RFC 3986 says: it drops empty segments, and takes
# what follows a semicolon for no part of a segment.
def plain(ref): return "//" not in ref and ";" not in ref and ":" not in ref.split("/")[0].split("?")[0]
with open(sys.argv[1] + "/references", "w") as f:
    count = 0
    while count < 5000:
        base, ref = "http://h" + pick(["/", "/a/b/c", "/a/b/", "/a?x"]), path().lstrip("/" if random.random() < 0.6 else "") + pick(["", "?q/../r", "#f"])
        if not plain(ref): continue
        f.write(json.dumps([base, ref, urljoin(base, ref)]) + "\n"); count += 1
CHARS = ["a", "Z", "0", " ", "+", "%", "&", "=", "é", "😀", "\0", "\n", "/", "~", "-", "."]
with open(sys.argv[1] + "/texts", "w") as f:
    for _ in range(3000): t = some(CHARS, 30); f.write(json.dumps([t, quote(t, safe=""), quote_plus(t, safe="")]) + "\n")
with open(sys.argv[1] + "/queries", "w") as f:
    for _ in range(3000):
        m = {some(CHARS, 5): [some(CHARS, 5) for _ in range(1, random.randrange(2, 4))] for _ in range(random.randrange(4))}
        t = some(["a", "b", "=", "&", "%41", "+", "%C3%A9", "c"], 12)
        f.write(json.dumps([m, urlencode(m, doseq=True, safe=""), t, parse_qs(t, keep_blank_values=True, strict_parsing=False, encoding="utf-8")]) + "\n")
P
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
import "url"
folder := os.args[0]
urls, both, references, texts, queries := 0, 0, 0, 0, 0
for (row, failed) in json.lines(os.open(folder + "/urls")?) {
  assert(failed == nil, failed)
  [text, wanted] := row
  u, err := url.parse(text)
  urls++
  if err != nil { continue }
  if wanted == nil { println("Python refuses", text.quote()) }
  got := [u.scheme ?? "", u.user ?? "", u.host ?? "", u.port, u.path, u.query ?? "", u.fragment ?? ""]
  if !equal(got, wanted) { println(text.quote(), got, wanted) }
  both++
}
assert(both > urls / 4, both)
for (row, failed) in json.lines(os.open(folder + "/references")?) {
  assert(failed == nil, failed)
  [base, ref, wanted] := row
  u, err := url.join(base, ref)
  references++
  if err == nil && str(u) != wanted { println(base, ref, u, wanted) }
}
for (row, failed) in json.lines(os.open(folder + "/texts")?) {
  assert(failed == nil, failed)
  [text, path, form] := row
  if url.encode(text) != path || url.encode(text, form: true) != form { println(text.quote(), path, form) }
  if url.decode(path)? != text || url.decode(form, form: true)? != text { println(text.quote()) }
  texts++
}
for (row, failed) in json.lines(os.open(folder + "/queries")?) {
  assert(failed == nil, failed)
  [map, text, query, wanted] := row
  if url.build_query(map) != text { println(map, url.build_query(map), text) }
  if !equal(url.parse_query(query)?, wanted) { println(query, url.parse_query(query), wanted) }
  queries++
}
println("${urls} urls, ${references} references, ${texts} texts, ${queries} queries")
P
python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
