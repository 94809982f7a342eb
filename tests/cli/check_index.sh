# check warns of an index or slice of what has no elements by number, which
# always panics.
# expect: a.csp:4:10: warning: this always panics: an element of a range
# expect:     println(r[0], (1..3)[:1])
# expect:              ^
# expect:     make a list of it, as in `list(r)[i]`
# expect: a.csp:4:21: warning: this always panics: a slice of a range
# expect:     println(r[0], (1..3)[:1])
# expect:                         ^
# expect:     make a list of it, as in `list(r)[i]`
# expect: a.csp:5:10: warning: this always panics: an element of a function
# expect:     println(f[0], m[0:1])
# expect:              ^
# expect: a.csp:5:16: warning: this always panics: a slice of a map
# expect:     println(f[0], m[0:1])
# expect:                    ^
# expect: 97 a 1 1 1 97 2 3
# expect: true
cd "$TMPDIR" || exit
cat > a.csp <<'END'
func f() => 1
r := 1..3
m := {a: 1}
println(r[0], (1..3)[:1])
println(f[0], m[0:1])
END
cat > b.csp <<'END'
x, y := nil, nil
func set() { x = [2] }
func get(at, of = nil) => of[at]
set()
y = (3,)
println("ab"[0], "ab"[:1], [1][0], (1, 2)[0], {a: 1}["a"], bytes("a")[0], x[0], get(0, y))
END
# what a constant is, a program may ask
cat > c.csp <<'END'
const TABLE = nil
func has(x) => TABLE != nil && TABLE[x] == 1
println(TABLE == nil || has("x"))
END
"$CSPVM" check a.csp 2>&1
"$CSPVM" check b.csp && "$CSPVM" b.csp
"$CSPVM" check c.csp && "$CSPVM" c.csp
