# :help NAME shows the head of a function, method or struct that the session
# declared, as it was written, with the comments above it.
# expect: func double(x, by = len("a)b{"), rest...)
# expect:     Doubles a number.
# expect:       And more.
# expect: func (p Point) move(dx, dy = (1, 2))
# expect: func (p Point) move(dx, dy = (1, 2))
# expect: struct Point { x, y = {a: 1} }
# expect: half := func(n, m = func() { return 1 })
# expect: other(n, m = ..., rest...)
# expect: one
# expect: func double(again)
# expect: func loaded(a)
# expect:     Read from a file,
# expect:     in two lines.
# expect: func (l Line) m()
# expect:     Of Line.
# expect: func trailing()
# expect: struct Line {
# expect:   a, // with a comment
# expect:   b
# expect: }
# expect: fails(why)
# expect: number
# expect:     a variable, now the int 1
# expect: s.split(sep = nil)
# expect exit: 1
# expect stderr: the library has no `p.none`
# expect stderr: panic: now
cd "$TMPDIR" || exit
cat > text.csp <<'EOF'
// Not of any function.

// Read from a file,
// in two lines.
func loaded(a) {
}
x := 1 // not of trailing
func trailing() {}
struct Line {
  a, // with a comment
  b
}
// Of Line.
func (l Line) m() => l
EOF
{
  "$CSPVM" << 'END'
// Doubles a number.
//   And more.
func double(x, by = len("a)b{"), rest...) => x * 2
:help double
struct Point { x, y = {a: 1} } // a point
func (p Point) move(dx, dy = (1, 2)) {
  return p
}
p := Point(1, 2)
?Point.move
:help p.move
?p.none
?Point
half := func(n, m = func() { return 1 }) => n / m
:help half
make := func() => func(n, m = 1, rest...) => n
other := make()
:help other
println("one")
func double(again) => again
?double
:load text.csp
?loaded
?Line.m
?trailing
?Line
func fails(why) { panic(why) }; fails("now")
?fails
number := 1
?number
?s.split
END
  status=$?
  echo "$status" > "$TMPDIR/status"
} | sed '/^    a list of/d; /^    it does/d'
exit "$(cat "$TMPDIR/status")"
