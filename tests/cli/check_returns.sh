# check warns about values that are returned alone, beside a `?` or beside
# returns of a value and an error.
# expect: a.csp:5:10: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       return n
# expect:              ^
# expect:     write `return x, nil`
# expect: a.csp:9:27: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       if n == 0 { return Point(n) }
# expect:                               ^
# expect:     write `return x, nil`
# expect: a.csp:11:22: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       if n == 1 { return p }
# expect:                          ^
# expect:     write `return x, nil`
# expect: a.csp:12:22: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       if n == 2 { return name }
# expect:                          ^
# expect:     write `return x, nil`
# expect: a.csp:13:31: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       if n == 3 { return name.trim() }
# expect:                                   ^
# expect:     write `return x, nil`
# expect: a.csp:19:10: warning: a function with `?` returns nil or an error last, and this is neither
# expect:       return n
# expect:              ^
# expect:     write `return x, nil`
# expect: a.csp:22:22: warning: this returns 1 value and no error, but line 25 returns 2 values
# expect:       if x == 1 { return 1 }
# expect:                          ^
# expect:     write `return x, nil`
# expect: a.csp:23:27: warning: this returns 1 value and no error, but line 25 returns 2 values
# expect:       if x == 2 { return Point(2) }
# expect:                               ^
# expect:     write `return x, nil`
# expect: a.csp:24:22: warning: this returns 1 value and no error, but line 25 returns 2 values
# expect:       if x == 3 { return "${x}" }
# expect:                          ^
# expect:     write `return x, nil`
# expect: a.csp:29:10: warning: this returns 1 value and no error, but line 28 returns 3 values
# expect:       return [x]
# expect:              ^
# expect:     let all returns of this function give as many values
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
struct Point { x }
name := "a name"
func parsed(s) {
  n := s.parse_int()?
  return n
}
func point(s) {
  n := s.parse_int()?
  if n == 0 { return Point(n) }
  p := Point(n)
  if n == 1 { return p }
  if n == 2 { return name }
  if n == 3 { return name.trim() }
  return n, nil
}
inner := func(s) {
  m, n := 1, s.parse_int()?
  println(m)
  return n
}
func without(x) {
  if x == 1 { return 1 }
  if x == 2 { return Point(2) }
  if x == 3 { return "${x}" }
  return x, nil
}
func three(x) {
  if x == 1 { return nil, nil, error("one") }
  return [x]
}
println(parsed("1"), point("1"), inner("1"), without(2), three(1))

// These may be nil or an error.
struct Wrong { what }
func (w Wrong) error() => w.what
func asked(s) {
  a := s.reply()?
  if a is error { return a }
  b := s.reply()?
  if b == nil { return b }
  c := s.reply()?
  if !c { return c }
  d := s.reply()?
  switch d {
  case nil: return d
  }
  e := s.reply()?
  if is_bad(e) { return e }
  f := s.reply()?
  good(f)?
  return f
}
func is_bad(e) => e is error
func good(e) { return e, nil }
func error_alone(x) {
  good(x)?
  w := Wrong("no")
  if x { return Wrong("yes") }
  return w
}
func alone(x, f) {
  if x == 1 { return error("an error is taken by `?`") }
  if x == 2 { return nil }
  if x == 3 { return f() }
  if x == 4 { return x }
  if x == 5 { return Wrong("five") }
  return x, nil
}
func never(x) {
  if x { return 1, 2 }
  return 1
}
println(asked(Point(1)), error_alone(1), alone(1, never))
EOF
"$CSPVM" check a.csp 2>&1
