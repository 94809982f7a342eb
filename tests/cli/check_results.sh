# check warns about calls that give another number of values than is taken:
# always, or where the function ends without a value, or returns an error alone.
# expect: a.csp:4:28: warning: `error` is returned alone, but line 47 takes 2 values of `parse`
# expect:         if line == "" { return error("an empty line") }
# expect:                                ^~~~~
# expect:     write `return nil, error(...)`
# expect: a.csp:10:1: warning: the function ends here without a value, but line 48 wants what `check` returns
# expect:     }
# expect:     ^
# expect:     write `return nil` if there is none
# expect: a.csp:12:15: warning: the function returns here without a value, but line 49 wants what `early` returns
# expect:       if x == 0 { return }
# expect:                   ^~~~~~
# expect:     write `return nil` if there is none
# expect: a.csp:24:17: warning: `nil` is returned alone, but line 57 takes 3 values of `three`
# expect:       if x { return nil }
# expect:                     ^~~
# expect:     write a nil for each value before it
# expect: a.csp:51:8: warning: `two` returns 2 values, and 1 is wanted
# expect:     y = two()
# expect:            ^
# expect: a.csp:52:16: warning: `nothing` returns 0 values, and 1 is wanted
# expect:     var n = nothing()
# expect:                    ^
# expect: a.csp:54:14: warning: `get` returns 1 value, and 2 are wanted
# expect:     k, v := p.get()
# expect:                  ^
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
struct Point { x = 0 }
func parse(text) {
  for line in text.lines() {
    if line == "" { return error("an empty line") }
  }
  return text, nil
}
func check(x) {
  if x > 1 { return error("big") }
}
func early(x) {
  if x == 0 { return }
  return nil
}
func two() { return 1, 2 }
func nothing() { println("nothing") }
func (p Point) get() {
  if p.x == 1 { return 1 }
  log("get")
  return p.x
}
func log(text) { println(text) }
func three(x) {
  if x { return nil }
  return 1, 2, 3
}

// These give as many values as are wanted, or it is not certain.
func fail(text) { panic(text) }
func todo() { fail("to do") }
func either(x) {
  if x { return error("alone") }
  fail("never here")
}
func varies(x) {
  if x { return 1, 2 }
  return two()
}
func tries(x) {
  if x { return error("`?` fills in the nil") }
  return parse("1")?, nil
}
func alone(x) {
  if x { return error("alone") }
  return 1, nil
}
a, b := parse("")
check(1)?
e := early(1)
y := 5
y = two()
var n = nothing()
p := Point(1)
k, v := p.get()
q := todo()
_ = two()
x0, x1, x2 := three(true)
either(1)?
c, d := varies(true)
f, g := tries(1)
h := alone(1)?
check(2)
m := try(check, 1)
i, j := parse("again, which is not reported twice")
println(a, b, e, y, n, k, v, q, x0, x1, x2, c, d, f, g, h, m, i, j, either(2))
EOF
"$CSPVM" check a.csp 2>&1
