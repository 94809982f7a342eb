# What data can do to a page, with Python's HTML parser as the browser. The
# table has the places of OWASP's list of ways past a filter, and each text that
# it and others put there. Then pages are put together at random. Whatever the
# data, a page has the tags and attributes that it has with a plain word, no
# link leads to a script, and each value is read back as it was.
# expect: 34 places, 51 texts: 1734 pages
# expect: 3000 pages at random, more than half of the templates are compiled
# timeout: 180
# once: one thread, and the same each time
# small: CSPDEBUG=
cat > "$TMPDIR/make.py" <<'P'
import json, random, sys
random.seed(7)
TEXTS = ["", "x", "<script>alert(1)</script>", "<SCRIPT SRC=//x.y/z.js></SCRIPT>", "'\"><script>alert(1)</script>", "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)", " onmouseover=alert(1) ", "x onclick=alert(1)", "`onclick=alert(1)`", "/onclick=alert(1)", "=x y=z", ">", "<", "'", "\"", "&", "\\",
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "\tjava\tscript:alert(1)", "java\nscript:alert(1)", "\x01javascript:alert(1)",
    "&#106;avascript:alert(1)", "&#x6A&#x61&#x76ascript:alert(1)", "javascript&colon;alert(1)", "vbscript:msgbox(1)", "data:text/html,<script>alert(1)</script>",
    "feed:javascript:alert(1)", "://x", ":alert(1)", "//evil.example/x", "</script><script>alert(1)</script>", "</SCRIPT >", "<!--<script>", "<!--", "-->", "]]>", "*/alert(1)/*",
    "\u2028alert(1)//", "\\u0022;alert(1)//", "\\\";alert(1)//", "';alert(1)//", "${alert(1)}", "</style><script>alert(1)</script>", "red;background:url(javascript:alert(1))",
    "expression(alert(1))", "</title><img src=x onerror=alert(1)>", "</textarea><svg/onload=alert(1)>", "\x00<img src=\x00x>"]
PLACES = [("<p>%s</p>", "text"), ("<p>a %s b<b>c</b></p>", "text"), ("<title>%s</title>", "text"), ("<textarea a=b>%s</textarea>", "text"),
    ('<p title="%s">', "attribute"), ("<p title='%s' b>", "attribute"), ("<p title=%s b=c>", "attribute"), ("<p title=%s>", "attribute"), ("<p title= %s>", "attribute"), ("<p title=A%s b=c>", "inside"),
    ('<p title="A%sZ">', "inside"), ('<input value="%s" disabled>', "attribute"), ('<p data-x="%s">', "attribute"),
    ('<a href="%s">x</a>', "link"), ("<a href='%s'>x</a>", "link"), ("<a href=%s>x</a>", "link"), ("<img src=%s>", "link"), ('<form action="%s">', "link"), ('<button formaction=" %s">', "link"),
    ('<object data="%s">', "link"), ('<svg><a xlink:href="%s">x</a></svg>', "link"), ('<img srcset="%s 1x, /b 2x">', "link"), ('<a href="/a/%s?x">x</a>', "link"),
    ('<a href="/?q=%s&b=1">x</a>', "query"), ("<a href=/?q=%s>x</a>", "query"), ('<a href="#%s">x</a>', "fragment"),
    ("<script>var x = %s;</script>", "script"), ('<script>var x = "%s";</script>', "string"), ("<script>var x = '%s';</script>", "string"), ('<script type="application/json">{"x": %s}</script>', "json"),
    ('<button onclick="f(%s)">', "call"), ("<button onclick=f(%s) a>", "call"), ('<p style="color: %s">', "style"), ("<style>p { color: %s; background: url(%s); content: '%s' }</style>", "style")]
FIX = ["<p>", "</p>", "text ", "<b class=x>", "</b>", "<br/>", "<!-- c -->", "&lt; ", "{% if t %}", "{% if f %}", "{% else %}", "{% endif %}", "{% for x in l %}", "{% endfor %}", "{# c #}",
    "<p title=\"", "\"", "'", "<a href='", "<a href=", ">", " ", "=", "<script>", "</script>", "<style>", "</style>", "var a = ", ";\n", "/", "//", "/*", "*/", "`", "(", ")", "url(", "<", "{{ v }}", "{{ w }}",
    "<button onclick=\"", " style='", " id=", "checked", "<textarea>", "</textarea>", "<title>", "</title>", "?", "#", "http:", "+ 1", "<!doctype html>", "<svg>", "<!--", "-->", "\n"]
WHOLE = [place.replace("%s", "{{ v }}") for place, kind in PLACES] + ["{% for x in l %}<li class=\"{{ x }}\">{{ v }}</li>{% endfor %}", "<a {% if f %}href={{ v }}{% else %}title={{ w }}{% endif %}>x</a>",
    "<option {% if t %}selected{% endif %}>{{ w }}</option>", "<p {% for x in l %} a{% endfor %} b='{{ v }}'>", "<script>x = [{% for x in l %}{{ x }}, {% endfor %}]</script>"]
def page():
    parts = [random.choice(FIX) if random.random() < 0.2 else random.choice(WHOLE) for _ in range(random.randrange(1, 6))]
    if random.random() < 0.3: parts = [random.choice(FIX) for _ in range(random.randrange(2, 14))]
    return "".join(parts)
def data(plain):
    pick = (lambda: "x") if plain else (lambda: "".join(random.choice(TEXTS) for _ in range(random.randrange(1, 3))))
    return {"v": pick(), "w": pick(), "l": [pick(), pick()], "t": True, "f": False}
with open(sys.argv[1] + "/jobs", "w") as f:
    for place, kind in PLACES:
        for text in TEXTS: f.write(json.dumps({"t": place.replace("%s", "{{ v }}"), "plain": {"v": "x"}, "evil": {"v": text}, "kind": kind}) + "\n")
    for _ in range(3000): f.write(json.dumps({"t": page(), "plain": data(True), "evil": data(False), "kind": "random"}) + "\n")
P
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
import "text"
out := os.open(os.args[0] + "/pages", "w")?
for job in os.read_file(os.args[0] + "/jobs")?.lines() {
  job = json.parse(job)?
  t, err := text.template(job.t)
  if err != nil {
    assert(err.message.has_prefix("text: line ") && err.code == "syntax", err)
    out.write("null\n")?
    continue
  }
  plain, evil := t.render(job.plain)?, t.render(job.evil)?
  out.write(json.text({plain: plain, evil: evil})? + "\n")?
}
P
cat > "$TMPDIR/check.py" <<'P'
import html.parser, json, re, sys, urllib.parse
LINKS = {"href", "src", "action", "formaction", "data", "xlink:href", "srcset"}
class Page(html.parser.HTMLParser):
    CDATA_CONTENT_ELEMENTS = ("script", "style", "textarea", "title")
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.shape, self.values, self.texts, self.raw = [], [], [], None
        self.feed(text)
        self.close()
    def handle_starttag(self, tag, attrs):
        self.shape.append((tag, [name for name, _ in attrs]))
        self.values += [(name, value or "") for name, value in attrs]
        self.raw = tag
    def handle_startendtag(self, tag, attrs): self.handle_starttag(tag, attrs + [("/", "")])
    def handle_endtag(self, tag):
        self.shape.append("/" + tag)
        self.raw = None
    def handle_data(self, text): self.texts.append(html.unescape(text) if self.raw in ("textarea", "title") else text)
    def handle_comment(self, text): self.shape.append("!" + text)
    def handle_decl(self, text): self.shape.append("!" + text)
    def unknown_decl(self, text): self.shape.append("!" + text)
    def handle_pi(self, text): self.shape.append("?" + text)
def bad_link(url):
    url = re.sub(r"[\t\r\n]", "", url).lstrip("".join(map(chr, range(33)))).lower()
    return re.match(r"(?!https?:|mailto:|tel:)[^/?#]*:", url) is not None
# The tokens of a script: each string, and all between them.
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
def only(values): return values[0][1] if len(values) == 1 else "".join(v for n, v in values if n not in ("a", "b", "disabled", "/"))
def styles(page):
    """The style sheets and attributes without strings and addresses, after a look at these."""
    css = "".join(page.texts + [v for n, v in page.values])
    def address(m):
        if bad_link(m.group(1)): raise SystemExit(f"a script as an address: {css!r}")
        return "url()"
    css = re.sub(r"url\(([^()'\"\\\s]*)\)", address, css)
    css = re.sub(r"'[^'\n\\]*(?:\\[0-9a-f]+ [^'\n\\]*)*'", "''", css)
    return css.replace("unsafe", "x")
def wrong(job, plain, evil):
    text, kind = job["evil"]["v"], job["kind"]
    if plain.shape != evil.shape: return "another page"
    if any(name in LINKS and any(map(bad_link, v.split(",") if name == "srcset" else [v])) for name, v in evil.values): return "a script as a link"
    shown = text.replace("\0", "\ufffd")
    if kind == "text" and "".join(evil.texts) != "".join(plain.texts).replace("x", shown, 1): return "another text"
    if kind == "attribute" and only(evil.values) != shown: return "another value"
    if kind == "inside" and evil.values[0][1] not in ("A" + shown, "A" + shown + "Z"): return "another value"
    if kind in ("query", "fragment") and urllib.parse.unquote(re.search("q=([^&]*)|#(.*)", evil.values[0][1]).group(0)[2 if kind == "query" else 1:]) != text: return "another query"
    code = "".join(evil.texts)
    if kind == "script" and json.loads(code[8:-1]) != text: return "another string"
    if kind == "string" and json.loads('"' + code[9:-2] + '"') != text: return "another string"
    if kind == "json" and json.loads(code)["x"] != text: return "another JSON"
    if kind == "call" and json.loads(evil.values[0][1].strip()[2:-1]) != text: return "another argument"
    if kind == "style":
        left, same = styles(evil), styles(plain)
        if [c for c in left if not c.isalnum()] != [c for c in same if not c.isalnum()]: return "another style"
    return None
jobs = [json.loads(line) for line in open(sys.argv[1] + "/jobs")]
places, texts, pages, random, made = set(), set(), 0, 0, 0
for job, line in zip(jobs, open(sys.argv[1] + "/pages")):
    result = json.loads(line)
    if job["kind"] == "random": random, made = random + 1, made + (result is not None)
    else: places, texts, pages = places | {job["t"]}, texts | {job["evil"]["v"]}, pages + (result is not None)
    why = wrong(job, Page(result["plain"]), Page(result["evil"])) if result else None
    if why: print(why, repr(job["t"]), job["evil"], result)
print(f"{len(places)} places, {len(texts)} texts: {pages} pages")
print(f"{random} pages at random, " + ("more than half of the templates are compiled" if made * 2 > random else f"{made} are compiled"))
P
python3 "$TMPDIR/make.py" "$TMPDIR"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR"
python3 "$TMPDIR/check.py" "$TMPDIR"
