# check warns about methods of maps of other languages, where the map has no
# such key.
# expect: a.csp:2:11: warning: the map has no key `len`, and maps have no methods
# expect:     println(m.len, m.length, m.keys())
# expect:               ^~~
# expect:     write `len(m)`
# expect: a.csp:2:18: warning: the map has no key `length`, and maps have no methods
# expect:     println(m.len, m.length, m.keys())
# expect:                      ^~~~~~
# expect:     write `len(m)`
# expect: a.csp:2:28: warning: the map has no key `keys`, and maps have no methods
# expect:     println(m.len, m.length, m.keys())
# expect:                                ^~~~
# expect:     write `maps.keys(m)` of the module `maps`
# expect: a.csp:3:16: warning: the map has no key `size`, and maps have no methods
# expect:     println({a: 1}.size)
# expect:                    ^~~~
# expect:     write `len(m)`
# expect: a.csp:7:17: warning: the map has no key `values`, and maps have no methods
# expect:       return counts.values
# expect:                     ^~~~~~
# expect:     write `maps.values(m)` of the module `maps`
# expect: a.csp:12:38: warning: this is always true: a map is compared with nil
# expect:     println("${seen}", "x" in seen, seen != nil, delete(seen, "b"), seen.items())
# expect:                                          ^~
# expect: a.csp:12:70: warning: the map has no key `items`, and maps have no methods
# expect:     println("${seen}", "x" in seen, seen != nil, delete(seen, "b"), seen.items())
# expect:                                                                          ^~~~~
# expect:     write `for k, v in m`
# expect: a.csp:19:16: warning: the map has no function `keys`, and maps have no methods
# expect:     for w in words.keys() { println(w) }
# expect:                    ^~~~
# expect:     write `maps.keys(m)` of the module `maps`
# expect: a.csp:20:14: warning: the map has no function `has`, and maps have no methods
# expect:     println(tags.has("a"), tags.items().len)
# expect:                  ^~~
# expect:     write `key in m`
# expect: a.csp:20:29: warning: the map has no function `items`, and maps have no methods
# expect:     println(tags.has("a"), tags.items().len)
# expect:                                 ^~~~~
# expect:     write `for k, v in m`
# expect: b.csp:2:11: warning: the map has no key `len`, and maps have no methods
# expect:     println(n.len)
# expect:               ^~~
# expect:     write `len(m)`
# expect: b.csp:5:11: warning: the map has no key `len`, and maps have no methods
# expect:     println(d.len, map(default: 0).size)
# expect:               ^~~
# expect:     write `len(m)`
# expect: b.csp:5:32: warning: the map has no key `size`, and maps have no methods
# expect:     println(d.len, map(default: 0).size)
# expect:                                    ^~~~
# expect:     write `len(m)`
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
m := {a: 1}
println(m.len, m.length, m.keys())
println({a: 1}.size)
func count() {
  counts := {b: 2}
  for k, v in counts { println(k, v, counts.b) }
  return counts.values
}
count()
seen := {"a b": true}
seen.b = 1
println("${seen}", "x" in seen, seen != nil, delete(seen, "b"), seen.items())
words := map(default: 0)
tags := {}
for i, w in ["a", "b"] {
  words[w] += 1
  tags[w], tags[i] = "tag ${w}", count
}
for w in words.keys() { println(w) }
println(tags.has("a"), tags.items().len)

// There may be such a key.
n := {len: 1}
o := {a: 1}
o.len = 2
p := {a: 1}
p["size"] = 3
q := {}
func fill(map) { map.keys = [] }
fill(q)
key := "values"
r := {}
r[key] = count
r.values()
s := {}
s[key] = 1
t := map(default: count)
t.values()
u := {values: count}
u[key] ??= count
u.values()
v := {[key]: count}
v.values()
println(s.values, s.other())
println(n.len, o.len, p.size, q.keys, {[key]: 1}.values, m.other)
EOF
"$CSPVM" check a.csp 2>&1

# The map may be made by a call.
cat > b.csp <<'EOF'
n := map()
println(n.len)
d := map(default: 0)
d.x += 1
println(d.len, map(default: 0).size)

// There may be such a key.
e := map(default: 0)
for c in ["len"] { e[c] += 1 }
println(e.len, map([("len", 1)]).len)
EOF
"$CSPVM" check b.csp 2>&1
