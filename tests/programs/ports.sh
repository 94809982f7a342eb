# The five tasks in examples/port print, write and store what the scripts in
# Python do, of data that both have to clean.
# needs: python3 sqlite3
# expect: access: the same, status 0
# expect: orders: the same, status 0
# expect: contacts: the same, status 0
# expect: pages: the same, status 0
# expect: settings: the same, status 0
# expect: settings: the same, status 2
# expect: settings: the same, status 2
# small: SIZE=20
export TZ=America/New_York PYTHONIOENCODING=utf-8
python3 - "$TMPDIR" "${SIZE:-400}" << 'END'
import gzip, json, os, random, sys
folder, size = sys.argv[1], int(sys.argv[2])
random.seed(7)

def write(name, text, opened=open):
    os.makedirs(os.path.dirname(folder + "/" + name), exist_ok=True)
    with opened(folder + "/" + name, "wt", encoding="utf-8", newline="") as file:
        file.write(text)

def request(i):
    if i % 37 == 5:
        return random.choice(["", "the server was started", '1.2.3.4 - - [x] "GET / HTTP/1.1" 200'])
    return '10.0.0.%d - é [%02d/Mar/2026:%02d:%02d:00 +0100] "%s /%s%s HTTP/1.1" %d %s %.3f' % (
        random.randrange(99), random.randrange(6, 10), random.randrange(24), i % 60, random.choice(["GET", "POST"]),
        random.choice(["", "a", "b/ä", "c"]), random.choice(["", "?q=1?"]), random.choice([200, 200, 304, 404, 503]),
        random.choice(["-", "512"]), random.expovariate(0.01))

for name in "one.gz", "two.gz":
    write(name, "".join(request(i) + "\n" for i in range(size * 3)), gzip.open)

countries = ["de", "FR ", '"us"', "", "at", "é", '"a ""b"", c"']
write("customers.csv", "id,name,country\r\n" + "".join(
    '%d,"Name, %d",%s\r\n' % (i, i, countries[i % 7]) for i in range(30)))
write("orders.csv", "order,customer,count,price\n" + "".join("%d,%d,%d,%s\n" % (
    i, random.randrange(26 if i % 9 else 40), random.randrange(1, 5), random.choice(["1.5", "20", "0.99", "1234.05"]))
    for i in range(size)))

def contact(i):
    raw = {"email": random.choice(["%s%d@Example.COM ", " %s%d@x.org", "%s%d at x"]) % (random.choice("abcd"), i % 60),
           "name": random.choice(["  ann   LEE", "o'neil mary-jane", "ÉMILE zola 2nd", ""]),
           "phone": random.choice(["+49 (30) 12-34", "030/1234", None, ""]), "tags": random.sample(["B", "a", "b", "ç"], 2),
           "born": random.choice(["1979-05-27", "2001-01-01", "1979-02-30", "soon", None])}
    for key in "phone", "born", "tags":
        if random.random() < 0.2:
            del raw[key]
    return json.dumps(raw, ensure_ascii=False)

lines = [contact(i) for i in range(12)] + ["{oops", '{"name": "Bo"}', '{"email": null}']
lines += [contact(i) for i in range(size) if i % 3 == 0 or i > 12]
write("contacts.jsonl", "\n".join(lines) + "\n")

for i in range(4):
    write("pages/%s%d.html" % ("a/b/" if i % 2 else "", i), """<!doctype html><!-- <h1>old</h1>
    <a href="/hidden">x</a> --><H1 class="x">Tea &amp;
      caf&eacute; %d</H1><h2>Prices<br>of today</h2>
    <p>Green: 1,234.50 € or <b>12.05</b> USD, $ 7.00 EUR, 3.999 EUR, 8.25$
    <a class=x href="../item?id=%d&amp;n=1#top">An <i>item</i></a> <a HREF='//cdn.example.org/a%%20b'>CDN</a>
    <a href="mailto:a@example.com">mail</a><a href="">self</a><h3></h3>
    """ % (i, i))

write("base.toml", """port = 80
ratio = 0.5
[log]
level = "info"
files = ["a.log", "b.log"]
[log.limits]
size = 1_000
""")
write("web.toml", """port = 8080
name = "wéb 1"
log.level = "info"
log.files = []
[tls]
on = true
hosts = ["a", "b"]
ratios = [1.0, 2]
""")
write("db.toml", "ratio = 0.5\nlog.limits.size = 2_000_000\n")
write("bad.toml", "port = 80\nport = 81\n")
END
cd "$TMPDIR" || exit 1
port=$OLDPWD/examples/port
both() {  # TASK ARGUMENT... in folders of their own; files are in ..
  mkdir -p python csp
  (cd python && python3 "$port/$1.py" "${@:2}" > out 2>&1; echo "status $?" >> out)
  (cd csp && "$CSPVM" "$port/$1.csp" "${@:2}" > out 2>&1; echo "status $?" >> out)
  [ -f python/made.db ] && for side in python csp; do
    sqlite3 $side/made.db 'select * from contacts order by email' > $side/rows && rm $side/made.db*
  done
  diff -r python csp > differences && same="the same" || same="they differ"
  echo "$1: $same, $(tail -1 python/out)"
  head -30 differences >&2
  rm -r python csp
}
both access ../one.gz ../two.gz
both orders ../customers.csv ../orders.csv sales.csv
both contacts ../contacts.jsonl made.db
both pages ../pages https://example.com/shop/list/
both settings ../base.toml ../web.toml ../db.toml
both settings ../base.toml ../bad.toml
both settings ../base.toml ../none.toml
