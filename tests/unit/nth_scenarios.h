// SPDX-License-Identifier: MIT
// The scripts of test_nth_allocation.c and test_nth_object.c: small, as each
// runs once for every allocation that it makes.
#ifndef CSP_TESTS_UNIT_NTH_SCENARIOS_H
#define CSP_TESTS_UNIT_NTH_SCENARIOS_H

// RUN_BLOCKING: natives that block make objects when they have, and returns
// when deferred calls have given an error.
typedef enum Action { RUN, RUN_BLOCKING, CHECK, DISASSEMBLE } Action;

typedef struct Scenario {
  const char *name;
  Action action;
  int status;        // when nothing fails
  const char *out;   // all of standard output then, NULL: not looked at
  const char *err;   // a part of standard error, or of the messages
  const char *text;  // the script
  const char *uses;  // imports of modules that are made before, uncounted
} Scenario;

static const Scenario scenarios[] = {
    {"expression", RUN, 0, "7\n", "", "println(1 + 2 * 3)", ""},
    {"functions", RUN, 0, "[1, 3, 6] P(x: 3) 9 4 [] [7, 8]\n", "",
     "struct P { x = 0 }\n"
     "func (p P) area() => p.x * p.x\n"
     "func adder() { sum := 0\nreturn func(n) { sum += n\nreturn sum } }\n"
     "func rest(a, b = 4, more...) { return b, more }\n"
     "f := adder()\n"
     "xs := [f(1), f(2), f(3)]\n"
     "p := P(3)\narea := p.area\n"
     "b, more := rest(1)\n"
     "_, more2 := rest(1, 2, [7, 8]...)\n"
     "println(xs, p, area(), b, more, more2)",
     ""},
    {"calls", RUN, 0, "[2, 3, 4] 3 [1, 2, 3] [1, 2] nil 13 [5, 6] 12 0 300\n",
     "",
     "import \"sched\"\n"
     "struct P { x }\n"
     "func (p P) many(r...) => r\n"
     "func two() { return 1, 2 }\n"
     "func three() { return 1, 2, 3 }\n"
     "func named(a, b = 2, c = [3], d = 4) => a + b + len(c) + d\n"
     "log := []\n"
     "func defers(xs) {\n"
     "  defer log.extend(xs)\n  for x in xs { defer log.push(x...) }\n"
     "  defer func() { for i in 8 { log.push(i) } }()\n"
     "  return two() }\n"
     "many := P(1).many\n"
     "t := go three()\n"
     "a, b, c := <-t\n"
     "r, e := try(two)\n"
     "x, _ := defers([[5], [6]])\n"
     "d := chan(1)\nd <- 1\n"
     "sleep(1us)\n"
     "group { go named(1) }\n"
     "chosen, _, _ := sched.select([[d], [chan()]])\n"
     "println(many([2, 3, 4]...), c, [a, b, c], r, e,\n"
     "  named(d: 9, a: x), try(many, 5, 6)?, len(log),\n"
     "  chosen,\n"
     "  len(many(list(0..300)...)))",
     "import \"sched\""},
    {"two operations in one", RUN, 0,
     "[4611686018427387902, -4611686018427387902, 4611686018427387902, "
     "-4611686018427387901, 2305843009213693943, 4611686018427387902] abc\n",
     "",
     "func f(x, y, z) => [x * y + z, -z - x * y, x + z + 0 * y, "
     "0 - x - y - z + y * 2,\n"
     "  z ^ y << 3, z +% x *% y]\n"
     "func g(a, b, c) => a + b + c\n"
     "n := 2305843009213693951\n"
     "m := n\nm = m + 1\nm = m * 2\nm += n\nm -= 1\nm = -m\n"
     "e := 1e200\ne = e * 10\ne *= e\nassert(m == -6917529027641081854)\n"
     "println(f(n, 1, n), g(\"a\", \"b\", \"c\"))",
     ""},
    {"much at once", RUN, 0, "400000 [1]\n", "",
     "s := \"x\".repeat(400000)\nprintln(len(s), [len(s) / 400000])", ""},
    {"modules", RUN, 0, "2.0 3 [1, 2]\n", "",
     "import \"math\"\nimport \"./tests/unit/data/nth\"\nimport \"maps\"\n"
     "println(math.sqrt(4.0), nth.three(), maps.values({a: 1, b: 2}))",
     NULL},
    {"strings", RUN, 0, "a,b [\"x\", \"y\"] AbC ababab true 3 [\"a=1\"] 12 z\n",
     "",
     "import \"strings\"\n"
     "println(strings.join([\"a\", \"b\"], \",\"), \"x y\".split(\" \"),\n"
     "  \"abc\".replace(\"a\", \"A\").replace(\"c\", \"C\"), "
     "\"ab\".repeat(3),\n"
     "  \"abc\".contains(\"b\"), len(\"abc\"), [\"a=\" + str(1)],\n"
     "  strings.parse_int(\"12\")?, \" z \".trim())",
     "import \"strings\""},
    {"lists and bytes", RUN, 0,
     "[1, 2] [2, 4] [3, 2, 1] 6 3 [1, 2] [97, 98] ab 1\n", "",
     "xs := [3, 1, 2]\nxs.sort()\nys := copy(xs)\nys.reverse()\n"
     "b := bytes(\"ab\")\n"
     "println(xs, xs.map(func(x) => x * 2)[:2], ys,\n"
     "  xs.reduce(func(a, x) => a + x, 0), xs.pop(), xs, list(b), str(b),\n"
     "  xs.index(2))",
     ""},
    {"loops", RUN, 0, "3 [0, 1] ab [1, 2] 13 3\n", "",
     "func gen() { n := 0\nreturn func() { n++\nif n < 3 { return n } } }\n"
     "sum := 0\nfor k, v in {a: 1, b: 2} { sum += v }\n"
     "xs := []\nfor i in 0..2 { xs.push(i) }\n"
     "s := \"\"\nfor ch in \"ab\" { s += ch }\n"
     "ys := []\nfor v in gen() { ys.push(v) }\n"
     "c := chan(3)\nc <- 2\nclose(c)\nlast := 0\nfor v in c { last = v }\n"
     "for w in \"a longer-word\".fields() { last = last + len(w) - len(s) }\n"
     "for w in \"x yy\".words() { last = last + len(w) }\n"
     "n := 0\nouter: for i in 5 { for { n++\nif i < 2 { continue outer }\n"
     "break outer } }\nprintln(sum, xs, s, ys, last, n)",
     ""},
    {"collections", RUN, 0, "40 40 120 [2, 1] 9223372036854775807 true\n", "",
     "xs := []\nm := {}\ns := \"\"\n"
     "for i in 40 { xs.push(i)\nm[\"k${i}\"] = [i]\ns += \"${i % 10}--\" }\n"
     "ys := [1, 2]\nys.sort(func(a, b) => a > b)\n"
     "println(len(xs), len(m), len(s), ys, 9223372036854775807,\n"
     "  equal(xs, copy(xs)))",
     ""},
    {"goroutines", RUN, 0, "10 60 tick done 5\n", "",
     "c := chan(1)\nd := chan()\n"
     "for i in 5 { go { c <- i } }\n"
     "sum := 0\nfor i in 5 { sum += <-c }\n"
     "ts := []\nfor i in 3 { ts.push(go func() { sleep(1us)\n"
     "return 10 * (i + 1) }()) }\n"
     "all := 0\nfor t in ts { all += <-t }\n"
     "go { d <- 5 }\n"
     "got, t := nil, timer(1h)\nt.reset(1us)\n<-t\n"
     "select {\ncase <-after(1us): got = \"tick\"\n"
     "case x := <-chan(): got = x\n}\n"
     "println(sum, all, got, \"done\", <-d)",
     ""},
    {"groups", RUN, 0, "inner true\nend 3\n", "",
     "ran := false\nc := chan()\n"
     "func worker() { defer func() { ran = true }()\nc <- 1\n"
     "sleep(1000s) }\n"
     "_, err := try(func() {\n"
     "  group g {\n    go worker()\n    go { <-c\n"
     "panic(\"inner\") }\n  }\n})\n"
     "println(err, ran)\n"
     "ends := chan(3)\ngroup g { for i in 3 { go { ends <- i } } }\n"
     "println(\"end\", len(ends))",
     ""},
    {"defer and recover", RUN, 0, "3 2 1 r boom\n", "",
     "func f() { s := \"\"\n"
     "  func g() { defer func() { r := recover()\n"
     "    s += \"r ${r}\" }()\n"
     "    for i in 1..4 { defer func() { s += \"${i} \" }() }\n"
     "    panic(\"boom\") }\n"
     "  g()\n  return s }\n"
     "println(f())",
     ""},
    {"uncaught panic", RUN, 1, "before\n", "panic: index",
     "func f(n) { if n == 0 { return [1][5] }\nreturn f(n - 1) + 1 }\n"
     "println(\"before\")\nf(5)",
     ""},
    {"uncaught error with a cause", RUN, 1, "", "error: outer",
     "func f() { return nil, error(\"outer\", cause: error(\"inner\")) }\n"
     "f()?",
     ""},
    {"panic in a goroutine", RUN, 1, "", "panic: [1, \"two\"",
     "go func() { panic([1, \"two\", {k: nil}]) }()\nsleep(1000s)", ""},
    {"task that nobody awaited", RUN, 0, "end\n", "task that nobody awaited",
     "import \"sched\"\nt := go func() { panic(\"lost\") }()\n"
     "for sched.goroutines() > 1 { sleep(1us) }\nprintln(\"end\")",
     "import \"sched\"\n"},
    {"string method in a panic", RUN, 1, "",
     "panic: ",  // without memory its fields
     "struct E { }\nfunc (e E) string() => \"shown\" + \"\"\npanic(E())", ""},
    {"deadlock", RUN, 1, "", "deadlock",
     "c := chan()\nfor i in 3 { go { <-c } }\n<-c", ""},
    {"formatting", RUN, 0, "   7|2.500|[1, 2]|\"q\"|ff 1e+21 inf\n", "",
     "import \"fmt\"\n"
     "println(fmt.sprintf(\"%4d|%.3f|%v|%q|%x\", 7, 2.5, [1, 2], \"q\", 255),\n"
     "  1e21, 1e300 * 1e300)",
     "import \"fmt\""},
    {"files", RUN_BLOCKING, 0, "func three() => 3\n 0 hi\n", "",
     "import \"os\"\n"
     "text := os.read_file(\"tests/unit/data/nth.csp\")?\n"
     "r := os.run(\"echo\", [\"hi\"])?\n"
     "print(text, r.status, r.out)",
     "import \"os\""},
    {"host values", RUN_BLOCKING, 0, "1 3 84 6 8 true\n", "",
     "import \"host\"\nimport \"sched\"\n"
     "c := host.counter()\nc.add(1)\n"
     "println(c.add(0), host.total(2), host.block(42), host.ready(),\n"
     "  host.block_after(), len(sched.dump()) > 0)",
     "import \"host\"\nimport \"sched\""},
    {"exit", RUN, 7, "out\n", "",
     "import \"os\"\ngo { sleep(1000s) }\nprintln(\"out\")\nos.exit(7)",
     "import \"os\""},
    // More panics at once than there are records in reserve.
    {"panics under way", RUN, 0, "", "",
     "import \"sched\"\nc := chan()\nd := chan()\n"
     "for i in 70 { go { defer func() { <-c }()\n<-d\npanic(\"x\") } }\n"
     "sched.yield()\nclose(d)\nsched.yield()\nsched.yield()",
     "import \"sched\""},
    {"library: strings", RUN, 0, NULL, "",
     "import \"strings\"\n"
     "s := \"Ärger über b\"\n"
     "println(s.to_upper(), s.title(), s.pad_left(15, \"*\"), s.reverse(), "
     "s.chars(), s.runes())\n"
     "println(s.fields(), \"a\\nb\".lines(), s.split_n(\" \", 2), s.bytes())\n"
     "println(strings.join([1, \"b\", [2]], \"-\"), strings.format_int(255, "
     "16), strings.from_runes([97, 0x1F600]))\n"
     "println(strings.parse_float(\"1.5\"))\nprintln(strings.parse_int(\"x\"))"
     "\nprintln(strings.quote(\"a\\n\"), s.trim_prefix(\"Ä\"))\n"
     "println(s[2:5], \"x\" < \"y\", s + \"${[1, s]}\")\n",
     "import \"strings\""},
    {"library: lists", RUN, 0, NULL, "",
     "import \"maps\"\n"
     "xs := [3, 1, 2]\n"
     "xs.insert(1, 9)\n"
     "xs.extend([4, 4])\n"
     "xs.remove(0)\n"
     "println(xs.join(\",\"), xs.unique(), [[1], [2, [3]]].flatten(2), "
     "xs.zip([1, 2]), xs.enumerate(), xs.chunk(2))\n"
     "println(xs.filter(func(x) => x > 1), xs.any(func(x) => x > 3), "
     "xs.sort(func(a, b) => a > b))\n"
     "m := maps.merge({a: 1}, {b: 2})\n"
     "println(maps.items(m), maps.invert(m), maps.from_items([[\"k\", 1]]), "
     "maps.sorted_keys(m), maps.pop(m, \"a\"), m)\n",
     "import \"maps\""},
    {"library: bytes and numbers", RUN, 0, NULL, "",
     "import \"bytes\"\n"
     "import \"math\"\n"
     "import \"rand\"\n"
     "b := bytes.from_hex(\"6162\")?\n"
     "b.push(\"cd\", 1)\n"
     "b.fill(7, 4)\n"
     "println(b, b.hex(), b.base64(), str(b[:2]), math.floor(2.5))\n"
     "g := rand.new(7)\n"
     "println(g.sample([1, 2, 3], 2), g.bytes(3), len(rand.bytes(2)), "
     "g.choice([1]), float(\"1e40\"), int(\"10\"))\n",
     "import \"bytes\"\nimport \"math\"\nimport \"rand\""},
    {"library: regexp", RUN, 0, "true ab nil 2 [x] b.a a|b 4 ok\n", "",
     "import \"regexp\"\n"
     "re := regexp.compile(\"(?i)(?P<n>a+)(b)?\\\\b|[\\\\pL]\")?\n"
     "fast := re.replace(\"ab\", func(m) => m.named.n)\n"
     "m := re.find(\"- ab\")\n"
     "_, err := regexp.compile(\"(\")\n"
     "many := "
     "regexp.compile(\"[ab]*a[ab]{4}c\")?.match(\"abbabaab\".repeat(9))\n"
     "println(re.match(\"xab\"), m.text, re.find(\"-\"), m.start,\n"
     "  re.replace(\"[ab]\", \"x\"), regexp.compile(\"-\")?.replace(\"b-a\", "
     "\".\"),\n"
     "  re.find_all(\"a|b\").map(func(m) => m.text).join(\"|\"),\n"
     "  len(regexp.compile(\",\")?.split(\"a,b,c,d\")),\n"
     "  (if fast == \"a\" && err != nil && !many { \"ok\" } else { \"no\" }))",
     "import \"regexp\""},
    {"library: time", RUN, 0, NULL, "",
     "import \"time\"\n"
     "t := time.parse(\"2024-02-29 10:00:00\", utc: true)?\n"
     "println(time.format(t, utc: true), time.date(t, utc: true).year, "
     "time.duration_string(90s), time.parse_duration(\"1h2m\")?)\n"
     "time.sleep(1us)\n"
     "c := tick(1us)\n"
     "<-c\n"
     "println(time.now() > 0, time.from_date(2024, 1, 2, utc: true))\n",
     "import \"time\""},
    {"library: files", RUN_BLOCKING, 0, NULL, "",
     "import \"os\"\n"
     "dir := os.join_path(os.env(\"TMPDIR\", \"/tmp\"), \"nth\")\n"
     "os.mkdir_all(dir)\n"
     "p := os.join_path(dir, \"f\")\n"
     "f := os.open(p, \"w\")?\n"
     "err := f.write(\"one\\n\", \"two\\n\")\nif err != nil { println(err) }\n"
     "err = f.close()\nif err != nil { println(err) }\n"
     "f = os.open(p)?\n"
     "for line in f.lines() { println(line) }\n"
     "f.close()\n"
     "err = os.append_file(p, bytes(\"three\"))\nif err != nil { println(err) "
     "}\n"
     "println(os.read_bytes(p)?[0], os.stat(p)?.size, os.list_dir(dir)?, "
     "os.glob(p + \"*\")?.map(os.base), err)\n"
     "os.set_env(\"NTH\", \"1\")\n"
     "println(os.env(\"NTH\"), "
     "os.exists(p))\nprintln(os.real_path(\"nope\"))\nos.getwd()?\nos.abs_path("
     "\"x\")?\n"
     "os.remove_all(dir)\n",
     "import \"os\""},
    // What it prints is given in pieces, and the program is run once.
    {"library: a program's output", RUN_BLOCKING, 0, "600000 1\n", "",
     "import \"os\"\n"
     "dir := os.env(\"TMPDIR\", \"/tmp\")\n"
     "runs := os.join_path(dir, \"nth_runs\")\n"
     "os.write_file(runs, \"\")?\n"
     "r, err := try(os.run, \"sh\", [\"-c\", \"echo run >> \" + runs +\n"
     "  \"; head -c 600000 /dev/zero\"])\n"
     "n := len(os.read_file(runs)?) / 4\n"
     "if n > 1 { panic(\"it ran ${n} times\") }\n"
     "if err != nil { panic(err) }\n"
     "println(len(r.out), n)\n",
     "import \"os\"\n"},
    {"library: sched", RUN_BLOCKING, 0, NULL, "",
     "import \"sched\"\n"
     "c := chan(1)\n"
     "d := chan()\n"
     "sched.background(func() { d <- 2 })\n"
     "println(sched.select([[c, 5]]))\n"
     "println(sched.select([[c], [c]], prio: true))\nprintln(<-d)\n"
     "println(sched.stats().spawns > 0, sched.goroutines() > 0, "
     "sched.set_procs(2), sched.procs() > 0)\n"
     "sched.gc()\n"
     "sched.yield()\n"
     "big := chan(2, drop: \"oldest\")\n"
     "for i in 4 { big <- i }\n"
     "println(<-big, len(sched.dump()) > 0)\n",
     "import \"sched\""},
    {"library: json", RUN, 0, NULL, "",
     "import \"json\"\n"
     "v := json.parse(\"{\\\"a\\\": [1, 2.5, \\\"x\\\\u00e9\\\"], \\\"b\\\": "
     "null}\")?\n"
     "_, err := json.parse(\"[1,\\n}\")\n"
     "text, wrong := json.text({b: [1, \"é\\n\", nil], c: {d: (true, 1.5)}}, "
     "indent: 2)\n"
     "_, bad := json.text([{x: println}])\n"
     "println(v, err, text, wrong, bad)\n"
     "struct P { id, tags = [] }\n"
     "println(json.parse(\"[{\\\"id\\\": 7}]\", [P])?)\n",
     "import \"json\"\n"},
    {"library: json in pieces", RUN, 0, NULL, "",
     "import \"json\"\n"
     "import \"streams\"\n"
     "parts := [\"[{\\\"a\\\": 1},\", \" {\\\"a\\\": \", \"[2]}]\"]\n"
     "next := func() { return (if len(parts) > 0 { parts.remove(0) } else { "
     "nil }), nil }\n"
     "for v, err in json.stream(streams.reader(next)) { println(v, err) }\n"
     "parts = [\"1\\n{\\\"b\\\"\", \": 2}\\n\"]\n"
     "for v, err in json.lines(streams.reader(next)) { println(v, err) }\n",
     "import \"json\"\nimport \"streams\"\n"},
    {"library: csv", RUN, 0, NULL, "",
     "import \"csv\"\n"
     "import \"streams\"\n"
     "rows := csv.parse(\"n,p\\npen,1.5\\n\\\"cup, "
     "\\\"\\\"b\\\"\\\"\\\",4\\n\", header: true)?\n"
     "_, err := csv.parse(\"a,b\\nc\\n\")\n"
     "text := csv.text([[\"pen\", 1.5], [\"a,b\", nil]])?\n"
     "named := csv.text([{n: 1, p: \"x\"}], columns: [\"p\", \"n\"])?\n"
     "_, bad := csv.text([[\"x\", [1]]])\n"
     "println(rows, err, text, named, bad)\n"
     "parts := [\"a;b\\n1;\", \"2\\n\"]\n"
     "next := func() { return (if len(parts) > 0 { parts.remove(0) } else { "
     "nil }), nil }\n"
     "for row, wrong in csv.rows(streams.reader(next), separator: \";\") { "
     "println(row, wrong) }\n",
     "import \"csv\"\nimport \"streams\"\n"},
    {"library: cbor", RUN, 0, NULL, "",
     "import \"cbor\"\n"
     "data := cbor.encode({id: 7, xs: (1, -500, 2.5), raw: bytes(\"ab\"), 3: "
     "nil})?\n"
     "_, err := cbor.encode([1, [println]])\n"
     "_, wrong := cbor.decode(data[:9])\n"
     "println(data.hex(), cbor.decode(data)?, err, wrong)\n",
     "import \"cbor\"\n"},
    {"library: toml", RUN, 0, NULL, "",
     "import \"toml\"\n"
     "v := toml.parse(\"t = \\\"C\\\\u00e9\\\"\\nx = [1, 0x1f, "
     "2.5]\\n[d]\\np.q = 'r'\\n[[s]]\\nn = 1979-05-27\\n\")?\n"
     "_, err := toml.parse(\"a = 1\\na = 2\")\n"
     "struct S { n, m = 1 }\n"
     "println(v, err, toml.parse(\"[[s]]\\nn = 2\", {s: [S]})?)\n",
     "import \"toml\"\n"},
    {"library: url", RUN, 0, NULL, "",
     "import \"url\"\n"
     "u := url.parse(\"HTTP://a.Example:80/c%C3%A9?q=x+y&q=z#t\")?\n"
     "_, err := url.parse(\"http://a@b@c/\")\n"
     "println(u, url.decode(\"a%20b\")?, url.parse_query(u.query)?, "
     "url.join(u, \"../x\")?, err)\n"
     "u.query = url.build_query({n: [1, \"a&b\"]})\n"
     "println(url.text(u)?, url.encode(\"50% ö\"))\n",
     "import \"url\"\n"},
    {"library: html and text", RUN, 0, NULL, "",
     "import \"html\"\n"
     "import \"text\"\n"
     "println(html.escape(\"<a & 'b'>\"), html.unescape(\"caf&eacute; &#x20AC; "
     "&amp\"))\n"
     "t := text.template(\"{% for x in xs %}<a title=\\\"{{ x.t }}\\\">{{ x.n "
     "+ 1 }}{% else %}none{% endfor %}\")?\n"
     "println(t.render({xs: [{t: \"<b>\", n: 1}, {t: \"c\", n: 2}]})?)\n"
     "_, err := t.render({})\n"
     "_, wrong := text.template(\"{% fro %}\")\n"
     "println(err, wrong)\n",
     "import \"html\"\nimport \"text\"\n"},
    {"library: tar", RUN, 0, NULL, "",
     "import \"streams\"\n"
     "import \"tar\"\n"
     "out := bytes()\n"
     "w := tar.writer(func(data) { out.push(data)\n"
     "  return nil })\n"
     "for step in [w.add(\"d/one\", \"first\", modified: 0), w.add_link(\"l\", "
     "\"d/one\", modified: 0), w.close()] {\n"
     "  if step != nil { println(step) }\n"
     "}\n"
     "parts := [out]\n"
     "a := tar.reader(func() { return (if len(parts) > 0 { parts.pop() } else "
     "{ nil }), nil })\n"
     "for e, _ := a.next(); e != nil; {\n"
     "  println(e, e.size, e.target)\n"
     "  if e.size > 0 { println(e.read_all()?) }\n"
     "  e, _ = a.next()\n"
     "}\n"
     "struct Sink { closed }\n"
     "func (s Sink) write(data) => nil\n"
     "func (s Sink) close() { s.closed = true\n"
     "  return nil }\n"
     "sink := Sink(false)\n"
     "tar.writer(sink).close()?\n"
     "println(\"closed\", sink.closed)\n",
     "import \"streams\"\nimport \"tar\"\n"},
    {"library: streams", RUN, 0, NULL, "",
     "import \"streams\"\n"
     "parts := [\"one\\ntw\", bytes(\"o\\n\"), \"three\"]\n"
     "r := streams.reader(func() { return (if len(parts) > 0 { parts.remove(0) "
     "} else { nil }), nil })\n"
     "println(r.read(2)?, r.read_line()?, r.read_bytes(2)?, r.read_all()?, "
     "r.close())\n",
     "import \"streams\"\n"},
    {"library: sync", RUN_BLOCKING, 0, NULL, "",
     "import \"sync\"\n"
     "m, s, n := sync.mutex(), sync.semaphore(1), sync.counter()\n"
     "rw, once, latch := sync.rwmutex(), sync.once(), sync.latch(2)\n"
     "go { m.with(func() { n.add(1)\n"
     "  sleep(1us) })\n"
     "  latch.done() }\n"
     "go { s.acquire()\n"
     "  rw.read_lock()\n"
     "  n.add(2)\n"
     "  rw.read_unlock()\n"
     "  s.release()\n"
     "  latch.done() }\n"
     "latch.wait()\n"
     "rw.with(func() { once.do(func() { n.add(4) }) })\n"
     "println(n.get(), m.try_lock(), rw, s)\n",
     "import \"sync\"\n"},
    // A sum that finds no memory is not added.
    {"library: sync, counters", RUN, 0, "end\n", "",
     "import \"sync\"\n"
     "from := 1 << 62\n"
     "to, c := from + 1, sync.counter(from)\n"
     "_, err := try(c.add, 1)\n"
     "assert(c.swap((if err != nil { from } else { to }), 0), \"lost\")\n"
     "println(\"end\")\n",
     "import \"sync\"\n"},
    // Leaving takes no memory.
    {"library: sync, unlocks", RUN, 0, "1 2 3 4\n", "",
     "import \"sync\"\n"
     "m, s, rw := sync.mutex(), sync.semaphore(1), sync.rwmutex()\n"
     "rw.read_lock()\nrw.read_lock()\nrw.read_unlock()\nrw.read_unlock()\n"
     "rw.lock()\nrw.unlock()\n"
     "m.lock()\nm.unlock()\ns.acquire()\ns.release()\n"
     "println(rw.read(func() => 1), rw.with(func() => 2), m.with(func() => "
     "3),\n"
     "  s.with(func() => 4))\n",
     "import \"sync\"\n"},
    // What is deferred is called, also where there is no memory to defer it.
    {"library: sync, deferred unlocks", RUN, 0, "true\ntrue\ntrue\n1 1 3 9\n",
     "",
     "import \"sync\"\n"
     "m, s, rw := sync.mutex(), sync.semaphore(1), sync.rwmutex()\n"
     "struct Door { lock, kept }\n"
     "func (d Door) close(a, b = 2) { d.lock.unlock()\n"
     "  d.kept.swap(0, a + b) }\n"
     "door := Door(sync.mutex(), sync.counter(0))\n"
     "func hold() { m.lock()\n"
     "  defer m.unlock()\n"
     "  return 1 }\n"
     "func pass() { door.lock.lock()\n"
     "  defer door.close(1)\n"
     "  return 1 }\n"
     "doors, opened := [m] + [1].repeat(9), sync.counter(0)\n"
     "func open_all(first, a, b, c, d, e, f, g, h, last) { first.unlock()\n"
     "  opened.swap(0, a + b + c + d + e + f + g + h + last) }\n"
     "func hold_all() { m.lock()\n"
     "  defer open_all(doors...) }\n"
     "_, e0 := try(hold_all)\n"
     "if m.try_lock() { m.unlock() } else { println(\"lost\") }\n"
     "a, e1 := try(hold)\n"
     "b, e2 := try(pass)\n"
     "_, e3 := try(func() => m.with(func() => 1))\n"
     "_, e4 := try(func() => s.with(func() => 1))\n"
     "_, e5 := try(func() => rw.with(func() => 1))\n"
     "println(m.try_lock())\nprintln(s.try_acquire())\n"
     "println(door.lock.try_lock())\n"
     "rw.lock()\n"
     "for e in [e0, e1, e2, e3, e4, e5] { if e != nil { panic(e) } }\n"
     "println(a, b, door.kept.get(), opened.get())\n",
     "import \"sync\"\n"},
    {"library: uuid", RUN, 0, NULL, "",
     "import \"uuid\"\n"
     "a, b := uuid.v7(), uuid.v7()\n"
     "_, err := uuid.parse(\"f81d4fae7dec11d0\")\n"
     "println(a < b, len(uuid.v4()), uuid.text(uuid.parse(a)?) == a, err)\n",
     "import \"uuid\"\n"},
    // Each waits in turn: a goroutine that fails would leave others waiting.
    {"library: net", RUN_BLOCKING, 0, NULL, "",
     "import \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "c := net.dial(l.address())?\n"
     "peer := l.accept()?\n"
     "c.write(\"hello\\n\")?\n"
     "peer.write(\"you said ${peer.read_line()?}\\n\")?\n"
     "peer.close()\n"
     "println(c.read_line()?, c.read_line()?)\n"
     "c.close()\n"
     "l.close()\n"
     "_, err := net.dial(\"nowhere\")\n"
     "println(err)\n",
     "import \"net\"\n"},
    // A server goes on whatever it lacked for one connection.
    {"library: net, serves", RUN_BLOCKING, 0, "end\n", "",
     "import \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "func answer(c) {\n"
     "  c.stall(20ms)\n"
     "  c.write(\"x\")?\n"
     "  return nil\n"
     "}\n"
     "func ask() {\n"
     "  c := net.dial(l.address())?\n"
     "  defer c.close()\n"
     "  c.stall(20ms)\n"
     "  return c.read()\n"
     "}\n"
     "serving := go l.serve(answer)\n"
     "for i in 2 { _, _ = try(ask) }\n"
     "select {\n"
     "case err := <-serving: panic(err.code)\n"
     "default: println(\"end\")\n"
     "}\n",
     "import \"net\"\n"},
    {"library: http, serves", RUN_BLOCKING, 0, "end\n", "",
     "import \"http\"\nimport \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "func ask() {\n"
     "  c := net.dial(l.address())?\n"
     "  defer c.close()\n"
     "  c.stall(20ms)\n"
     "  c.write(\"GET / HTTP/1.0\\r\\n\\r\\n\")?\n"
     "  return c.read()\n"
     "}\n"
     "serving := go http.serve(l, func(request) => \"x\", stall: 20ms)\n"
     "for i in 2 { _, _ = try(ask) }\n"
     "select {\n"
     "case err := <-serving: panic(err.code)\n"
     "default: println(\"end\")\n"
     "}\n",
     "import \"http\"\nimport \"net\"\n"},
    // Where the connections that wait could not all be closed, the next request
    // found an empty list of them.
    {"library: http, close_idle", RUN_BLOCKING, 0, "end\n", "",
     "import \"http\"\nimport \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "go http.serve(l, func(request) => \"x\", stall: 20ms)\n"
     "func ask() {\n"
     "  _, err := try(http.get, \"http://${l.address()}/\")\n"
     "  if err != nil && err.code == nil { panic(err) }\n"
     "}\n"
     "ask()\n"
     "_ = try(http.close_idle)\n"
     "ask()\n"
     "println(\"end\")\n",
     "import \"http\"\nimport \"net\"\n"},
    // A dial that fails leaves no connection that the listener would accept.
    {"library: net, dials", RUN_BLOCKING, 0, "1 true\n", "",
     "import \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "c := net.dial(l.address())?\n"
     "peer := l.accept()?\n"
     "c.write(\"1\")?\n"
     "assert(peer.remote() == c.local(), \"another connection came first\")\n"
     "println(peer.read()?, true)\n",
     "import \"net\"\n"},
    {"library: net, udp", RUN_BLOCKING, 0, "x 2 nil\n", "",
     "import \"net\"\n"
     "u := net.udp(\"127.0.0.1:0\")?\n"
     "v := net.udp(\"127.0.0.1:0\", peer: u.address())?\n"
     "v.send(\"x\")?\n"
     "got, from, err := u.receive()\n"
     "if err != nil { panic(err) }\n"
     "u.send_to(from, bytes(2))?\n"
     "back, _, err := v.receive()\n"
     "println(got, (if back == nil { 2 } else { len(back) }), err)\n"
     "u.close()\n",
     "import \"net\"\n"},
    {"library: net, unix", RUN_BLOCKING, 0, "12 nil\n", "",
     "import \"net\"\nimport \"os\"\n"
     "at := \"unix:\" + os.join_path(os.env(\"TMPDIR\", \"/tmp\"), "
     "\"nth_unix\")\n"
     "if os.exists(at[5:]) { os.remove(at[5:])? }\n"
     "l := net.listen(at)?\n"
     "c := net.dial(at)?\n"
     "peer := l.accept()?\n"
     "c.write(\"12\")?\n"
     "c.close_write()?\n"
     "println(peer.read_exact(2)?, peer.read()?)\n"
     "l.close()\n",
     "import \"net\"\nimport \"os\"\n"},
    // Both sides wait, as the system does not take so much at once.
    {"library: net, waits", RUN_BLOCKING, 0, "1000000 nil\n", "",
     "import \"net\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "c := net.dial(l.address())?\n"
     "peer := l.accept()?\n"
     "go {\n"
     "  err := peer.write(\"x\".repeat(1_000_000))\n"
     "  if err != nil { panic(err) }\n"
     "  peer.close()\n"
     "}\n"
     "println(len(c.read_exact(1_000_000)?), c.read()?)\n",
     "import \"net\"\n"},
    // The other side is written by hand: its mask is of zeros.
    {"library: websocket", RUN_BLOCKING, 0, "hello [129, 3] two nil\n", "",
     "import \"net\"\nimport \"websocket\"\n"
     "l := net.listen(\"127.0.0.1:0\")?\n"
     "c := net.dial(l.address())?\n"
     "peer := l.accept()?\n"
     "peer.stall(10s)\nc.stall(10s)\n"
     "request := {method: \"GET\", version: \"HTTP/1.1\", headers: {\n"
     "  host: \"h\", upgrade: \"websocket\", connection: \"Upgrade\",\n"
     "  \"sec-websocket-key\": \"dGhlIHNhbXBsZSBub25jZQ==\",\n"
     "  \"sec-websocket-version\": \"13\"}}\n"
     "ws := websocket.accept(peer, request, ping: nil)?\n"
     "c.read_until(\"\\r\\n\\r\\n\")?\n"
     "c.write(bytes([129, 133, 0, 0, 0, 0]), \"hello\")?\n"
     "print(ws.read()?, \"\")\n"
     "ws.write(\"two\")?\n"
     "println(list(c.read_bytes(2)?), c.read_exact(3)?, nil)\n",
     "import \"net\"\nimport \"websocket\"\n"},
    {"library: http", RUN_BLOCKING, 0, NULL, "",
     "import \"http\"\n"
     "app := http.routes({\n"
     "  \"GET /n/{id}\": func(request) => {id: request.params.id},\n"
     "  \"POST /\": func(request) => http.response(request.text()?, 201, {x: "
     "\"y\"}),\n"
     "})\n"
     "one := http.test(app, \"GET\", \"/n/7?q=1\")\n"
     "two := http.test(app, \"POST\", \"/\", nil, \"body\")\n"
     "assert(one.status != 500 && two.status != 500, \"500: out of "
     "memory\")\n"
     "println(one.status, one.text()?, two.status, two.text()?, "
     "two.header(\"x\"))\n"
     "none := http.test(app, \"GET\", \"/none\")\n"
     "assert(none.status != 500, \"500: out of memory\")\n"
     "println(none.status)\n",
     "import \"http\"\n"},
    {"groups: deadline and nesting", RUN, 0, NULL, "",
     "_, err := try(func() { group g { g.timeout(1us)\n"
     "  group h { go { sleep(1000s) } } } })\n"
     "println(err)\n"
     "group g { t := go func() { sleep(1000s) }()\n"
     "  g.cancel() }\n"
     "func failing() { return error(\"no\") }\n"
     "_, err = try(func() { group g { go failing()\n"
     "  for { sleep(1ms) } } })\n"
     "println(err)\n"
     "group g { g.grace(1s)\n"
     "  go { defer sleep(1us)\n"
     "    g.cancel()\n"
     "    sleep(1s) } }\n"
     "println(\"end\")\n",
     ""},
    {"errors: what copies carry", RUN_BLOCKING, 0, NULL, "",
     "const full = error(\"full\")\n"
     "func closing() { return error(\"close\") }\n"
     "func take() { defer closing()\n  return full }\n"
     "func late() => group g { g.timeout(1ns)\n"
     "  go func() { defer take()\n    sleep(1h) }() }\n"
     "func rethrows() { defer func() { panic(recover()) }()\n"
     "  defer take()\n  panic(full) }\n"
     "err := take()\n"
     "println(err == full, {[full]: 1}[err])\n"
     "_, err = try(rethrows)\nprintln(err)\n"
     "err = late()\nprintln(err)\n"
     "func f() { defer func() { r := recover()\n"
     "    if r != nil { println(\"stale\", r) } }() }\n"
     "f()\nprintln(\"end\")\n",
     ""},
    {"errors: what cancelled ones carry", RUN_BLOCKING, 0, NULL, "",
     "const full = error(\"full\")\n"
     "func fails(n) => error(\"deferred ${n}\")\n"
     "func waits(n) { defer fails(n)\n  sleep(1h) }\n"
     "func overstays() { defer fails(1)\n  defer func() { <-chan() }()\n"
     "  sleep(1h) }\n"
     "func computes() { defer fails(2)\n  defer func() { for { } }()\n"
     "  sleep(1h) }\n"
     "func tells(told) { defer close(told)\n  sleep(1h) }\n"
     "func second(told) { defer fails(3)\n  defer func() { <-told }()\n"
     "  return full }\n"
     "func first() => full\n"
     "func whole() {\n"
     "  told := chan()\n"
     "  err := group g { g.grace(1us)\n    g.patience(0)\n"
     "    go overstays()\n    go computes()\n    go second(told)\n"
     "    go tells(told)\n    go first()\n"
     "    waits(4) }\n"
     "  return err }\n"
     "err := whole()\nprintln(err)\n"
     "func lone(x) { (func() => nil)()?\n  return first() }\n"
     "v, e, last := <-go lone(1)\nprintln(v, e, last)\n"
     "_, err = try(func() { group { go second(closed())\n"
     "  waits(5) } })\nprintln(err)\n"
     "func closed() { c := chan()\n  close(c)\n  return c }\n",
     ""},
    {"exit in a deferred call of a cancelled one", RUN, 7, "out\n", "",
     "import \"os\"\n"
     "func ends() { defer os.exit(7)\n  defer fails()\n  sleep(1h) }\n"
     "func fails() => error(\"deferred\")\n"
     "println(\"out\")\n"
     "group { go ends()\n  go func() { return error(\"first\") }() }\n",
     ""},
    {"structs and errors", RUN, 0, NULL, "",
     "struct Node { value, next = nil }\n"
     "func (n Node) string() => \"<${n.value}>\"\n"
     "func (n Node) add(v) { n.next = Node(v, next: n.next) }\n"
     "n := Node(1)\n"
     "n.add(2)\n"
     "e := error(\"outer\", cause: error(\"inner\"))\n"
     "func f() { g()?\n"
     "  return 1, nil }\n"
     "func g() { return nil, e }\n"
     "_, err := f()\n"
     "println(n, n.next, [n], \"${n}\", err, type(n), n is Node)\n"
     "_, err = try(func() { n.nope = 1 })\n"
     "println(err)\n"
     "_, err = try(int, \"x\")\n"
     "println(err)\nprintln(try(func() { return 1, 2 }))\n"
     "switch n.value { case 1, 2: println(\"case\") \n"
     "default: println(\"default\") }\n",
     ""},
    // However little there is, try gives an error, at any depth of the stack.
    {"try without memory", RUN, 0, "end\n", "",
     "import \"host\"\n"
     "begins, ends := host.begins, host.ends\n"
     "func fails() => panic({})\n"
     "func adds(a, b) => [a, b]\n"
     "func tries(n) {\n"
     "  if n > 0 { return tries(n - 1) }\n"
     "  begins()\n"
     "  _, _ = try(adds, 1, 2)\n"
     "  _, _ = try(fails)\n"
     "  _, _ = try(try, adds, 1, 2)\n"
     "  ends()\n"
     "}\n"
     "for n in 12 { <-(go tries(n)) }\n"
     "task := go fails()\n"
     "func waits() { <-task }\n"
     "func fails_in_group() { group { go fails() } }\n"
     "func passes() { error(\"no\")?\nreturn nil }\n"
     "begins()\n"
     "_, _ = try(waits)\n"
     "_, _ = try(fails_in_group)\n"
     "_, _ = try(passes)\n"
     "ends()\n"
     "println(\"end\")\n",
     "import \"host\""},
    {"stack growth", RUN, 0, NULL, "",
     "func deep(n) { if n == 0 { return 0 }\n"
     "  return deep(n - 1) + 1 }\n"
     "println(deep(300), <-(go deep(200)))\n"
     "xs := []\n"
     "for i in 100 { xs.push(i) }\n"
     "println(max(xs...), len(\"x\".repeat(5000)))\n",
     ""},
    // What is refused leaves all as it was, and may be tried again.
    {"a map is cleared", RUN, 0, "{\"c\": 3}\n", "",
     "import \"host\"\nm := {a: 1, b: 2}\n"
     "_, err := try(host.clear, m)\n"
     "if err != nil {\n"
     "  assert(len(m) == 2 && m[\"a\"] == 1 && m[\"b\"] == 2)\n"
     "  host.clear(m)\n}\n"
     "assert(len(m) == 0)\nm[\"c\"] = 3\nprintln(m)",
     "import \"host\""},
    // (removing takes no memory)
    {"elements are removed", RUN, 0, "[0, 1] [0, 9]\n", "",
     "import \"host\"\nxs := list(0..300)\nhost.remove(xs, 2, 298)\n"
     "ys := copy(xs)\nhost.remove(ys, 1, 1)\nys.push(9)\nprintln(xs, ys)",
     "import \"host\""},
    {"a value as text", RUN, 0, "3900 [2, \"two\", {\"x\": P(x: [nil])}]\n", "",
     "import \"host\"\nstruct P { x }\n"
     "text := host.text(list(0..1000).map(func(i) => i % 100))\n"
     "println(len(text), host.text([2, \"two\", {x: P([nil])}]))",
     "import \"host\""},
    {"errors", RUN, 2, "", "nope",
     "x := nope\nfunc f( { }\ny := strlng(3)\nbreak\nz := \"a", ""},
    {"check", CHECK, 1, "", "unused",
     "func f(a, b) { unused := 1\nreturn a }\nf(1, 2)", ""},
    {"check of a good one", CHECK, 1, "", "",
     "switch 1 { case 1: println(`raw`) }\nfor k, v in {a: 1} { }", ""},
    {"disassemble", DISASSEMBLE, 1, "", "",
     "func f(x) => x + 1\nfor i in 3 { println(f(i)) }", ""},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

#endif
