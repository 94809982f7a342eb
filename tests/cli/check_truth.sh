# check warns about a function that is not called, where a condition should be.
# expect: a.csp:5:8: warning: `empty` is a method, and always true
# expect:       if s.empty { return true }
# expect:            ^~~~~
# expect:     call it: `empty()`
# expect: a.csp:6:23: warning: `empty` is a method, and always true
# expect:       return s.size && !s.empty
# expect:                           ^~~~~
# expect:     call it: `empty()`
# expect: a.csp:9:4: warning: `ready` is a function, and always true
# expect:     if ready { println(1) }
# expect:        ^~~~~
# expect:     call it: `ready()`
# expect: a.csp:10:6: warning: `ready` is a function, and always true
# expect:     for !ready { println(2) }
# expect:          ^~~~~
# expect:     call it: `ready()`
# expect: a.csp:11:23: warning: `ready` is a function, and always true
# expect:     if Stack().check() && ready || strings.trim { println(3) }
# expect:                           ^~~~~
# expect:     call it: `ready()`
# expect: a.csp:11:40: warning: `trim` is a function, and always true
# expect:     if Stack().check() && ready || strings.trim { println(3) }
# expect:                                            ^~~~
# expect:     call it: `trim()`
# expect: b.csp:4:4: warning: `lam` is a function, and always true
# expect:     if lam { println(1) }
# expect:        ^~~
# expect:     call it: `lam()`
# expect: b.csp:5:10: warning: `trim` is a method, and always true
# expect:     if "abc".trim { println(2) }
# expect:              ^~~~
# expect:     call it: `trim()`
# expect: b.csp:6:8: warning: `join` is a method, and always true
# expect:     if [1].join || false { println(3) }
# expect:            ^~~~
# expect:     call it: `join()`
# expect: b.csp:7:4: warning: `P` is a struct, and always true
# expect:     if P { println(4) }
# expect:        ^
# expect:     a type is asked for by `x is P`
# expect: b.csp:8:4: warning: a function that is not called is always true
# expect:     if func() => true { println(5) }
# expect:        ^~~~
# expect: b.csp:9:15: warning: `q` is a function, and always true
# expect:     switch { case q: println(6) }
# expect:                   ^
# expect:     call it: `q()`
# expect: b.csp:10:8: warning: `q` is a function, and always true
# expect:     assert(q)
# expect:            ^
# expect:     call it: `q()`
# expect: b.csp:11:9: warning: `lam` is a function, and always true
# expect:     assert(!lam, "message")
# expect:             ^~~
# expect:     call it: `lam()`
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
import "strings"
struct Stack { items = [], size = 0 }
func (s Stack) empty() => len(s.items) == 0
func (s Stack) check() {
  if s.empty { return true }
  return s.size && !s.empty
}
func ready() => true
if ready { println(1) }
for !ready { println(2) }
if Stack().check() && ready || strings.trim { println(3) }

// These are calls, or variables.
if ready() { println(4) }
func run(ready = nil) {
  if ready { ready() }
  return ready ?? run
}
run()
if run() == ready { println(5) }
EOF
"$CSPVM" check a.csp 2>&1

# The function may be a variable's or a literal, the method one of a string, and
# the condition that of a case or of `assert`.
cat > b.csp <<'EOF'
struct P { x }
func q() => true
lam := func() => true
if lam { println(1) }
if "abc".trim { println(2) }
if [1].join || false { println(3) }
if P { println(4) }
if func() => true { println(5) }
switch { case q: println(6) }
assert(q)
assert(!lam, "message")

// These are no functions for certain.
var f
if f { f() }
f = q
p := P(q)
m := {trim: false}
if p.x || m.trim { println(7) }
switch q { case q: println(8) }
func own(assert) { assert(q) }
own(println)
EOF
"$CSPVM" check b.csp 2>&1
