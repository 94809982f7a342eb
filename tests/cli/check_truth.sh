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
