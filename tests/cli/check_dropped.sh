# check warns of statements that drop an error for certain.
# expect: a.csp:10:12: warning: this error is dropped, which is a panic
# expect:     func m() { error("z") }
# expect:                ^~~~~
# expect:     write `return error(...)`, or `panic(...)`
# expect: a.csp:11:1: warning: `g` gives an error, which is dropped: a panic
# expect:     g()
# expect:     ^
# expect:     write `g(...)?`, or `_ = g(...)` to ignore it
# expect: a.csp:12:1: warning: `h` gives an error, which is dropped: a panic
# expect:     h(1)
# expect:     ^
# expect:     write `h(...)?`, or `_ = h(...)` to ignore it
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
func g() => error("x")
func h(a) {
  if a { return nil, error("a") }
  return nil, error("b")
}
func k(a) {
  if a { return nil }
  return error("b")
}
func m() { error("z") }
g()
h(1)

// These may be fine.
k(1)
m()
_ = g()
func tries(a) {
  x := g()?
  return x, error("b")
}
func inner() {
  f := func() { return error("a") }
  return f
}
func falls(a) { if a { return error("a") } }
tries(1)
inner()
falls(1)
EOF
"$CSPVM" check a.csp 2>&1
