# check warns about fields and methods that a struct does not have: of a
# receiver, of what a constructor gives, of a variable that is set once to that.
# expect: a.csp:2:28: warning: `Point` has no field or method `z`
# expect:     func (p Point) norm() => p.z + p.nrom() + p.x + p.norm()
# expect:                                ^
# expect: a.csp:2:34: warning: `Point` has no field or method `nrom`
# expect:     func (p Point) norm() => p.z + p.nrom() + p.x + p.norm()
# expect:                                      ^~~~
# expect: a.csp:3:26: warning: `Point` has no field or method `w`
# expect:     func (p Point) set() { p.w = 1 }
# expect:                              ^
# expect: a.csp:5:11: warning: `Point` has no field or method `xx`
# expect:     println(q.xx, q.x, q.norm())
# expect:               ^~
# expect:     did you mean `x`?
# expect: a.csp:6:18: warning: `Point` has no field or method `yy`
# expect:     println(Point(1).yy, Point(1).y, Point(1).norm())
# expect:                      ^~
# expect:     did you mean `y`?
# expect: b.csp:2:4: warning: a list has no method `append`
# expect:     xs.append(1)
# expect:        ^~~~~~
# expect:     write `xs.push(v)`
# expect: b.csp:3:12: warning: a list has no method `pusch`
# expect:     println(xs.pusch(1), "abc".upper(), (1, 2).len)
# expect:                ^~~~~
# expect:     did you mean `push`?
# expect: b.csp:3:28: warning: a string has no method `upper`
# expect:     println(xs.pusch(1), "abc".upper(), (1, 2).len)
# expect:                                ^~~~~
# expect:     write `s.to_upper()`
# expect: b.csp:3:44: warning: a tuple has no method `len`
# expect:     println(xs.pusch(1), "abc".upper(), (1, 2).len)
# expect:                                                ^~~
# expect:     write `len(t)`
# expect: b.csp:4:8: warning: a list has no method `empty`
# expect:     if [1].empty { println(1) }
# expect:            ^~~~~
# expect:     write `len(xs) == 0`
# expect: b.csp:5:16: warning: an int has no method `by`
# expect:     for i in 0..10.by(2) { println(i) }
# expect:                    ^~
# expect:     write `(from..to).by(step)`
# expect: b.csp:6:28: warning: a string has no method `ord`
# expect:     for c in "abc" { println(c.ord(), c.to_upper()) }
# expect:                                ^~~
# expect: b.csp:8:3: warning: a channel has no method `send`
# expect:     c.send(1)
# expect:       ^~~~
# expect:     write `c <- v`
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
struct Point { x, y = 0 }
func (p Point) norm() => p.z + p.nrom() + p.x + p.norm()
func (p Point) set() { p.w = 1 }
q := Point(1)
println(q.xx, q.x, q.norm())
println(Point(1).yy, Point(1).y, Point(1).norm())

// It may be another one.
func (p Point) next() {
  p = {more: 1}
  return p.more
}
r := Point(1)
r = {more: 1}
println(r.more, q.next(), q.set())
func any(p) => p.whatever
any(q)
struct Wrong { what }
func (w Wrong) error() => w.what
w := Wrong(1)
println(w.message, w.cause, w.trace, w.code, Wrong(2).message)
EOF
"$CSPVM" check a.csp 2>&1

# Values of built-in types have methods only.
cat > b.csp <<'EOF'
xs := [3]
xs.append(1)
println(xs.pusch(1), "abc".upper(), (1, 2).len)
if [1].empty { println(1) }
for i in 0..10.by(2) { println(i) }
for c in "abc" { println(c.ord(), c.to_upper()) }
c := chan()
c.send(1)

// They may have these.
var ys = [1]
ys = {append: len}
ys.append(1)
func any(s) => s.upper()
println(xs.map(str).join(","), xs.try_map(any), any("a"))
EOF
"$CSPVM" check b.csp 2>&1
