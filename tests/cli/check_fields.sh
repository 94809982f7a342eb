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
