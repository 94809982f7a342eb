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
# expect: b.csp:16:1: warning: `g` gives an error, which is dropped: a panic
# expect:     g()
# expect:     ^
# expect:     write `g(...)?`, or `_ = g(...)` to ignore it
# expect: b.csp:17:1: warning: `both` gives an error, which is dropped: a panic
# expect:     both(1)
# expect:     ^~~~
# expect:     write `both(...)?`, or `_ = both(...)` to ignore it
# expect: b.csp:18:1: warning: `cases` gives an error, which is dropped: a panic
# expect:     cases(1)
# expect:     ^~~~~
# expect:     write `cases(...)?`, or `_ = cases(...)` to ignore it
# expect: b.csp:19:1: warning: `value` gives an error, which is dropped: a panic
# expect:     value(1)
# expect:     ^~~~~
# expect:     write `value(...)?`, or `_ = value(...)` to ignore it
# expect: b.csp:20:1: warning: `again` gives an error, which is dropped: a panic
# expect:     again()
# expect:     ^~~~~
# expect:     write `again(...)?`, or `_ = again(...)` to ignore it
# expect: b.csp:21:1: warning: `variable` gives an error, which is dropped: a panic
# expect:     variable()
# expect:     ^~~~~~~~
# expect:     write `variable(...)?`, or `_ = variable(...)` to ignore it
# expect: b.csp:22:1: warning: `lam` gives an error, which is dropped: a panic
# expect:     lam()
# expect:     ^~~
# expect:     write `lam(...)?`, or `_ = lam(...)` to ignore it
# expect: b.csp:23:1: warning: `also` gives an error, which is dropped: a panic
# expect:     also()
# expect:     ^~~~
# expect:     write `also(...)?`, or `_ = also(...)` to ignore it
# expect: b.csp:24:1: warning: this error is dropped, which is a panic
# expect:     E("boom")
# expect:     ^
# expect:     write `return E(...)`, or `panic(...)`
# expect: b.csp:25:3: warning: `fail` gives an error, which is dropped: a panic
# expect:     e.fail()
# expect:       ^~~~
# expect:     write `e.fail(...)?`, or `_ = e.fail(...)` to ignore it
# expect: b.csp:26:7: warning: `g` gives an error, which is dropped: a panic
# expect:     defer g()
# expect:           ^
# expect:     write `defer { _ = g(...) }` to ignore it
# expect: b.csp:27:7: warning: `E` gives an error, which is dropped: a panic
# expect:     defer E("q")
# expect:           ^
# expect:     write `defer { _ = E(...) }` to ignore it
# expect: b.csp:28:1: warning: this function gives an error, which is dropped: a panic
# expect:     func() { return error("r") }()
# expect:     ^
# expect:     let it return nothing, or take what it returns
# expect: b.csp:29:4: warning: `g` gives an error, which ends the program
# expect:     go g()
# expect:        ^
# expect:     write `go { _ = g(...) }` to ignore it
# expect: b.csp:30:13: warning: `lam` gives an error, which ends the program
# expect:     if e.m { go lam() }
# expect:                 ^~~
# expect:     write `go { _ = lam(...) }` to ignore it
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

# All ways through a function may end in an error, which may be a struct, and
# `defer` and `go` drop it, too.
cat > b.csp <<'EOF'
struct E { m }
func (e E) error() => e.m
func (e E) fail() => error(e.m)
func g() => E("x")
func both(a) { if a { return 1, error("a") } else { return 2, g() } }
func cases(a) { switch a { case 1: return error("a"); default: return error("b") } }
func value(a) => if a { error("x") } else { E("y") }
func again() => g()
func variable() {
  err := error("x")
  return 1, err
}
lam := func() => error("lam")
e := E("e")
also := g
g()
both(1)
cases(1)
value(1)
again()
variable()
lam()
also()
E("boom")
e.fail()
defer g()
defer E("q")
func() { return error("r") }()
go g()
if e.m { go lam() }

// These may be fine, or have other ends.
func recovers() {
  defer { recover() }
  return error("a")
}
func leaves(a) { switch a { case 1: return error("a"); default: break } }
func open(a) { switch a { case 1: return error("a") } }
func mixed(a) => if a { error("x") } else { nil }
func loop() => loop()
struct P { m }
func (p P) error(needed) => needed
recovers()
leaves(1)
open(1)
mixed(1)
loop()
P(1)
group { go g() }
func starts() { go g() }
group { starts() }
t := go g()
_ = try(func() => <-t)
func returns() { return g() }
_ = returns()
EOF
"$CSPVM" check b.csp 2>&1
