# Hostile templates and texts in little memory: an error or a panic that tells,
# no more.
# expect: loops out of memory: the limit is 32 MB
# expect: no end out of memory: the limit is 32 MB
# expect: itself text: a: line 1, column 4: the template a has itself inside
# expect: twice out of memory: the limit is 32 MB
# expect: tags out of memory: the limit is 32 MB
# expect: open loops text: line 1, column 1712: nested more than 100 deep
# expect: open ifs text: line 1, column 1306: nested more than 100 deep
# expect: brackets text: line 1, column 104: nested more than 100 deep
# expect: sum text: line 1, column 1005: the expression is too long
# expect: list text: line 1, column 3008: the expression is too long
# expect: open tag text: line 1, column 4194311: a value cannot be an attribute: write its name, and the value after `=`
# expect: value out of memory: the limit is 32 MB
# expect: script out of memory: the limit is 32 MB
# expect: escape out of memory: the limit is 32 MB
# expect: wrap out of memory: the limit is 32 MB
# expect: short lines fine
# expect: columns out of memory: the limit is 32 MB
# small: CSPDEBUG=
# once: one thread, and the same each time
# timeout: 90
cat > "$TMPDIR/main.csp" <<'P'
import "html"
import "sched"
import "text"
func tried(name, f) {
  sched.gc()
  _, err := try(f)
  println(name, err ?? "fine")
}
func made(source, data = nil, load = nil) => func() {
  t, err := text.template(source, load: load)
  if err != nil { panic(err) }
  _, err = t.render(data)
  if err != nil { panic(err) }
}
xs := list(0..2000)
tried("loops", made("{% for a in xs %}{% for b in xs %}{% for c in xs %}{{ c }}{% endfor %}{% endfor %}{% endfor %}", {xs: xs}))
tried("no end", made("{% for x in f %}<p>{{ x }}{% endfor %}", {f: func() => 1}))
tried("itself", made("{% include \"a\" %}", nil, {a: "<p>{% include \"a\" %}{% include \"a\" %}"}))
tried("twice", made("{% include \"t0\" %}", nil, func(name) {
  n := int(name[1:]) + 1
  return if n < 30 { "{% include \"t${n}\" %}{% include \"t${n}\" %}" } else { "x" }
}))
tried("tags", made("{{ 1 }}".repeat(300_000)))
tried("open loops", made("{% for x in xs %}".repeat(100_000), {xs: [1]}))
tried("open ifs", made("{% if true %}".repeat(100_000)))
tried("brackets", made("{{ " + "(".repeat(1 << 20) + " }}"))
tried("sum", made("{{ " + "1+".repeat(1 << 19) + "1 }}"))
tried("list", made("{{ len([" + "[],".repeat(1 << 19) + "1]) }}"))
tried("open tag", made("<p " + "a=b ".repeat(1 << 20) + "{{ 1 }}"))
tried("value", made("<p>{{ x }}", {x: "<".repeat(1 << 23)}))
tried("script", made("<script>x = {{ x }}</script>", {x: "\x01".repeat(1 << 23)}))
tried("escape", func() => html.escape("\"".repeat(1 << 23)))
tried("wrap", func() => text.wrap("a ".repeat(1 << 22), 1))
tried("short lines", func() => text.wrap("a\n".repeat(1 << 21), 80))
tried("columns", func() => text.columns(list(0..3000).map(func(i) => ["a".repeat(i * 8), "b"])))
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp"
