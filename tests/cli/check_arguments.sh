# check warns about arguments of calls of known functions: of the file,
# constructors, predeclared and library functions, methods of structs of the
# file, and functions in variables that are set once, also by another name.
# expect: a.csp:5:6: warning: `greet` needs the argument `name`, which is missing
# expect:     greet()
# expect:          ^
# expect: a.csp:6:6: warning: `greet` takes 2 arguments, and gets 3
# expect:     greet(1, 2, 3)
# expect:          ^
# expect: a.csp:7:14: warning: `greet` has no parameter `greting`
# expect:     greet("you", greting: "hi")
# expect:                  ^~~~~~~
# expect:     did you mean `greeting`?
# expect: a.csp:8:6: warning: `greet` needs the argument `name`, which is missing
# expect:     greet(greeting: "x")
# expect:          ^
# expect: a.csp:9:5: warning: `many` needs the argument `first`, which is missing
# expect:     many()
# expect:         ^
# expect: a.csp:10:6: warning: `Point` takes 2 arguments, and gets 3
# expect:     Point(1, 2, 3)
# expect:          ^
# expect: a.csp:11:6: warning: `Point` needs the argument `x`, which is missing
# expect:     Point(y: 1)
# expect:          ^
# expect: a.csp:12:14: warning: `split` needs the argument `s`, which is missing
# expect:     strings.split()
# expect:                  ^
# expect: a.csp:13:4: warning: `len` takes 1 argument, and gets 2
# expect:     len(1, 2)
# expect:        ^
# expect: a.csp:14:9: warning: `greet` needs the argument `name`, which is missing
# expect:     go greet()
# expect:             ^
# expect: a.csp:15:12: warning: `greet` takes 2 arguments, and gets 3
# expect:     defer greet(1, 2, 3)
# expect:                ^
# expect: a.csp:17:7: warning: `move` takes 2 arguments, and gets 3
# expect:     p.move(1, 2, 3)
# expect:           ^
# expect: a.csp:18:7: warning: `move` needs the argument `dx`, which is missing
# expect:     p.move()
# expect:           ^
# expect: a.csp:19:11: warning: `move` has no parameter `yy`
# expect:     p.move(1, yy: 2)
# expect:               ^~
# expect:     did you mean `dy`?
# expect: a.csp:20:17: warning: `move` needs the argument `dx`, which is missing
# expect:     Point(1, 2).move()
# expect:                     ^
# expect: a.csp:21:42: warning: `turn` takes 0 arguments, and gets 1
# expect:     func (p Point) move(dx, dy = 0) => p.turn(1)
# expect:                                              ^
# expect: a.csp:24:6: warning: `twice` needs the argument `f`, which is missing
# expect:     twice()
# expect:          ^
# expect: a.csp:25:6: warning: `twice` takes 1 argument, and gets 2
# expect:     twice(1, 2)
# expect:          ^
# expect: a.csp:28:10: warning: `thrice` has no parameter `h`
# expect:       thrice(h: 1)
# expect:              ^
# expect: a.csp:31:14: warning: `error` has no parameter `kode`
# expect:     _ = error(1, kode: 2)
# expect:                  ^~~~
# expect:     did you mean `code`?
# expect: a.csp:33:6: warning: `other` needs the argument `name`, which is missing
# expect:     other()
# expect:          ^
# expect: a.csp:36:6: warning: `third` takes 2 arguments, and gets 3
# expect:     third(1, 2, 3)
# expect:          ^
# expect: a.csp:38:7: warning: `apart` has no parameter `t`
# expect:     apart(t: 1)
# expect:           ^
# expect: a.csp:40:6: warning: `moves` needs the argument `dx`, which is missing
# expect:     moves()
# expect:          ^
# expect: b.csp:2:14: warning: `f` gets the argument `a` twice
# expect:     println(f(1, a: 2), f(1, [2]..., a: 3))
# expect:                  ^
# expect:     it is the one at place 1 already
# expect: b.csp:2:34: warning: `f` gets the argument `a` twice
# expect:     println(f(1, a: 2), f(1, [2]..., a: 3))
# expect:                                      ^
# expect:     it is the one at place 1 already
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
import "strings"
struct Point { x, y = 0 }
func greet(name, greeting = "hello") => "${greeting} ${name}"
func many(first, rest...) => first
greet()
greet(1, 2, 3)
greet("you", greting: "hi")
greet(greeting: "x")
many()
Point(1, 2, 3)
Point(y: 1)
strings.split()
len(1, 2)
go greet()
defer greet(1, 2, 3)
p := Point(1)
p.move(1, 2, 3)
p.move()
p.move(1, yy: 2)
Point(1, 2).move()
func (p Point) move(dx, dy = 0) => p.turn(1)
func (p Point) turn() => p
twice := func(f) => f(f)
twice()
twice(1, 2)
func inner() {
  const thrice = func(f, g = 1) { println(f, g) }
  thrice(h: 1)
}
inner()
_ = error(1, kode: 2)
other := greet
other()
second := greet
third := second
third(1, 2, 3)
apart := strings.split
apart(t: 1)
moves := p.move
moves()

// All of these may be right.
greet("you")
greet(greeting: "hi", name: "you")
greet(many(1))
greet([1, 2]...)
many(1, 2, 3)
Point(x: 1)
third("you")
moves(1)
various := greet
various = strings.split
various()
strings.split("a b")
println()
p.move(1, 2)
p.move(dx: 1)
p.move([1, 2, 3]...)
p.move(many(1))
twice(1)
again := func(f) => f
again = func() => 1
again()
struct Holder { f }
h := Holder(greet)
h.f()
p.turn()
_ = error(1, code: 2)
EOF
"$CSPVM" check a.csp 2>&1

# An argument that has its place, too.
cat > b.csp <<'EOF'
func f(a, b = 1) => a + b
println(f(1, a: 2), f(1, [2]..., a: 3))
println(f([]..., a: 2), f(1, b: 2), f(b: 1, a: 2))
EOF
"$CSPVM" check b.csp 2>&1
