# The scraper of examples/, over pages of a server of Python, which is busy at
# times. Python's own parser of HTML and CSV tells what must come out.
# expect: the same rows as Python's parser finds: True 200
# expect: each page once, and again where it was busy: True
# expect: busy: 3 of 429, 3 of 503
# expect: status 0: 200 rows
# expect: nothing matches: 1 0 rows
# expect: always busy: 1 error: AT/busy: 503 Service Unavailable, asked 5 times
# expect: not there: 1 error: AT/none: 404 Not Found, asked 1 times
# expect: a wrong pattern: 1 error: regexp: position 1: the `(` has no `)`; write \( for the character
# small: CSPDEBUG=
# timeout: 60
python3 - << 'END'
import collections, csv, html, html.parser, http.server, io, os, subprocess, threading
PAGES, BOOKS = 8, 25
TITLES = ["Tea & <Sympathy>", "L'été", "“Quotes” … and — dashes", "Two\n   lines", 'A "quoted", title', "100 €", "名前 😀"]
asked = collections.Counter()

def entities(text, how):
    """The text as pages write it, in one of several ways."""
    if how == 0:
        return html.escape(text)
    form = "&#%d;" if how == 1 else "&#x%X;"
    return "".join(c if c.isalnum() or c.isspace() else form % ord(c) for c in text)

def page(number):
    books = []
    for i in range(BOOKS):
        n = number * BOOKS + i
        title = "%s %d" % (TITLES[n % len(TITLES)], n)
        price = "&pound;%d.%02d" % (n % 50, n % 100)
        books.append('<li class=book><H3 class="t"><a href="/b/%d" title="a > b">%s</a><SPAN class=">">!</SPAN></H3>\n  <p\nclass="price">%s</p>' % (
            n, entities(title, n % 3), price))
        if n % 7 == 0:
            books.append('<!-- <h3>Hidden</h3><p class="price">1</p> -->')
    more = "/" if number + 1 == PAGES else "?a=1&amp;page=%d" % (number + 1)  # the last one leads to the first
    return "<!doctype html><ul>%s</ul><p class=next><a href='%s'>next</a>" % ("\n".join(books), more)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked[self.path] += 1
        if self.path == "/none":
            return self.answer(404, "")
        number = int(self.path.rsplit("=", 1)[1]) if "=" in self.path else 0
        if self.path == "/busy" or number < 6 and asked[self.path] == 1:
            return self.answer(429 if number % 2 else 503, "busy", {"Retry-After": "0"})
        self.answer(200, page(number))

    def answer(self, status, text, headers=None):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

class Books(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.into = [], None

    def handle_starttag(self, tag, attributes):
        if tag == "h3":
            self.rows.append(["", ""])
            self.into = 0
        elif ("class", "price") in attributes:
            self.into = 1

    def handle_endtag(self, tag):
        if tag in ("h3", "p"):
            self.into = None

    def handle_data(self, data):
        if self.into is not None:
            self.rows[-1][self.into] += data

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
at = "http://127.0.0.1:%d" % server.server_address[1]

def scrape(path, pattern, *more):
    return subprocess.run([os.environ["CSPVM"], "examples/scrape.csp", at + path, pattern, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

done = scrape("/", r'(?i)<h3.*?>(?P<title>.*?)</h3>.*?class="price">(?P<price>.*?)</p>', "class=next><a href='(.*?)'")
parser = Books()
for i in range(PAGES):
    parser.feed(page(i))
wanted = [[" ".join(cell.split()) for cell in row] for row in parser.rows]
header, *got = csv.reader(io.StringIO(done.stdout))
print("the same rows as Python's parser finds:", header == ["title", "price"] and got == wanted, len(got))
times = [asked["/?a=1&page=%d" % i] for i in range(1, PAGES)]
print("each page once, and again where it was busy:", asked["/"] == 2 and times == [2] * 5 + [1] * 2)
print("busy: %d of 429, %d of 503" % (
    done.stderr.count(": 429 Too Many"), done.stderr.count(": 503 Service")))
print("status %d: %s" % (done.returncode, done.stderr.splitlines()[-1]))
done = scrape("/?page=7", "nothing")
print("nothing matches:", done.returncode, done.stderr.strip())

def failure(path, pattern="(?P<a>b)"):
    done = scrape(path, pattern)
    line = [line for line in done.stderr.splitlines() if line.startswith("error")][0]
    return "%d %s" % (done.returncode, line.replace(at, "AT"))

print("always busy: %s, asked %d times" % (failure("/busy"), asked["/busy"]))
print("not there: %s, asked %d times" % (failure("/none"), asked["/none"]))
print("a wrong pattern:", failure("/", "a(b"))
END
