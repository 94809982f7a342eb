# The site maker of examples/: Python's parsers of HTML and XML read all that it
# writes, and the link checker of examples/ finds each page at nginx.
# expect: pages: 62, tags closed: True, what was written: True
# expect: scripts that somebody has typed: 0
# expect: the feed: 60 items, the newest first: True
# expect: 300 links to 62 addresses, 0 are broken
# expect: error: WHERE/17.markdown:1: the header needs `date`
# expect: error: WHERE/18.markdown:4: the code has no end
# expect: no site: status 1
# needs: nginx curl
# small: CSPDEBUG=
# timeout: 60
. tests/programs/lib/nginx.sh
cat > "$TMPDIR/make.py" << 'END'
import os, random
folder = os.environ["TMPDIR"] + "/from"
os.mkdir(folder)
random.seed(1)
PAGE = "<!doctype html>\n<html><head><title>{{ title }}</title></head><body><h1>{{ title }}</h1>\n{{ body }}\n</body></html>"
with open(folder + "/page.html", "w", encoding="utf-8") as file:
    file.write(PAGE)
for i in range(60):
    with open("%s/%d.markdown" % (folder, i), "w", encoding="utf-8") as file:
        file.write("title: Page %d <script>alert(1)</script> & ü\ndate: 20%02d-%02d-%02d\n\n" % (
            i, random.randrange(10, 30), random.randrange(1, 13), random.randrange(1, 29)))
        file.write("# Head %d\n\nIt is **bold & <b>**, `a < b`\n\n- one [next](%d.html)\n- two [all](index.html)\n\n" % (
            i, (i + 1) % 60))
        file.write("```\nif a < b && c { <script> }\n```\n\nThe [last](%d.html) line.\n" % (59 - i))
END
cat > "$TMPDIR/look.py" << 'END'
import email.utils, glob, html.parser, os, xml.etree.ElementTree as tree
folder = os.environ["TMPDIR"] + "/root"

class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.closed, self.text, self.scripts = [], True, "", 0

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.scripts += tag == "script"

    def handle_endtag(self, tag):
        self.closed = self.closed and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

readers = {}
for path in glob.glob(folder + "/*.html"):
    reader = Reader()
    with open(path, encoding="utf-8") as file:
        reader.feed(file.read())
    readers[os.path.basename(path)] = reader
wanted = ["Page 7 <script>alert(1)</script> & ü", "Head 7", "It is bold & <b>, a < b", "one next", "two all",
          "if a < b && c { <script> }", "The last line."]
feed = tree.parse(folder + "/feed.xml")
dates = [email.utils.parsedate_to_datetime(date.text) for date in feed.iter("pubDate")]
print("pages: %d, tags closed: %s, what was written: %s" % (
    len(os.listdir(folder)), all(r.closed and not r.open for r in readers.values()),
    all(line in readers["7.html"].text for line in wanted)))
print("scripts that somebody has typed:", sum(r.scripts for r in readers.values()))
print("the feed: %d items, the newest first: %s" % (len(dates), dates == sorted(dates, reverse=True)))
END
make() { "$CSPVM" examples/site.csp "$TMPDIR/from" "$TMPDIR/root"; }
trap nginx_stop EXIT
python3 "$TMPDIR/make.py"
nginx_start < /dev/null || exit
make
python3 "$TMPDIR/look.py"
"$CSPVM" examples/links.csp "http://127.0.0.1:$port/" 8 20s
printf 'title: x\n\ntext\n' > "$TMPDIR/from/17.markdown"
printf 'title: x\ndate: 2020-01-01\n\n```\ncode\n' > "$TMPDIR/from/18.markdown"
make > "$TMPDIR/said" 2> "$TMPDIR/none"
status=$?
sed "s|$TMPDIR/from|WHERE|" "$TMPDIR/said"
echo "no site: status $status"
