# A last `f()?` shows an error that is a struct with its text, its type and its
# fields, as a script does. So it shows its causes, and what it carries. A
# method that fails or never ends does no harm.
# expect: error: bad 3
# expect:   E(p: 3)
# expect:   at repl[4]:1:8
# expect:     f(E(3))?
# expect:            ^
# expect: error: top
# expect:   caused by: bad 6
# expect:   E(p: 6)
# expect:   at repl[5]:1:29
# expect:     f(error("top", cause: E(6)))?
# expect:                                 ^
# expect: error: first
# expect:   g at repl[6]:3:15
# expect:   also: bad 4
# expect:   E(p: 4)
# expect:   at repl[7]:1:4
# expect:     g()?
# expect:        ^
# expect: error: S(x: 1)
# expect:   at repl[10]:1:8
# expect:     f(S(1))?
# expect:            ^
# expect: deadlock: all goroutines are asleep
# expect: goroutine N [chan receive]:
# expect:   W.error at repl[12]:1:23
# expect: error: W(x: 2)
# expect:   at repl[13]:1:8
# expect:     f(W(2))?
# expect:            ^
# expect: E(p: 5)
# expect exit: 1
{
  "$CSPVM" 2>&1 << 'END'
struct E { p }
func (e E) error() => "bad ${e.p}"
func f(e) => e
f(E(3))?
f(error("top", cause: E(6)))?
func g() {
  defer func() { return E(4) }()
  return error("first")
}
g()?
struct S { x }
func (s S) error() { panic("no") }
f(S(1))?
struct W { x }
func (w W) error() => <-chan()
f(W(2))?
f(E(5))
END
  echo $? > "$TMPDIR/status"
} | sed 's/goroutine [0-9]*/goroutine N/'
exit "$(cat "$TMPDIR/status")"
