# What is declared, called or asked in the ways of other languages gets a hint.
# expect: {at: a} := m
# expect:     a map is not taken apart: write `a := m.at`
# expect: {a, b} := m
# expect:     a map is not taken apart: write `a := m.at`
# expect: var {a} = m
# expect:     a map is not taken apart: write `a := m.at`
# expect: const [a, b] = xs
# expect:     a list or tuple is taken apart by `[a, b] := x`
# expect: var a []int
# expect:     variables, parameters and results have no types: leave it out
# expect: struct A { xs []int }
# expect:     variables, parameters and results have no types: leave it out
# expect: f := func(xs []int) => 1
# expect:     variables, parameters and results have no types: leave it out
# expect: after 5s
# expect:     a call has parentheses: `f(x)`
# expect: a := len "abc"
# expect:     a call has parentheses: `f(x)`
# expect: for (a) in xs { }
# expect:     leave out the parentheses: `for a in x { }`
# expect: m is rwmutex
# expect:     did you mean `sync.RWMutex`?
# expect: m is RWMutex
# expect:     did you mean `sync.RWMutex`?
# expect: m is sync.rwmutex
# expect:     did you mean `sync.RWMutex`?
# expect: m is sync.mutex
# expect:     did you mean `mutex`?
# expect: f([m 5])
# expect: switch m { case m 5: }
while read -r line; do
  echo "$line"
  printf '%s\n' 'import "sync"' 'm, xs := {at: sync}, [1]' "$line" > "$TMPDIR/a.csp"
  "$CSPVM" check "$TMPDIR/a.csp" 2>&1 |
    awk 'caret && /^    / { hint = $0 }
         { caret = /^ *\^~*$/ }
         END { if (hint != "") print hint }'
done <<'END'
{at: a} := m
{a, b} := m
var {a} = m
const [a, b] = xs
var a []int
struct A { xs []int }
f := func(xs []int) => 1
after 5s
a := len "abc"
for (a) in xs { }
m is rwmutex
m is RWMutex
m is sync.rwmutex
m is sync.mutex
f([m 5])
switch m { case m 5: }
END
:
