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
println(n.len, o.len, p.size, q.keys, {[key]: 1}.values, m.other)
EOF
"$CSPVM" check a.csp 2>&1
