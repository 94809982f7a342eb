# What is declared again is seen by what was compiled before; instances keep
# their struct.
# expect: 2
# expect: 20
# expect: "new, 3"
# expect: 120
# expect: Point(x: 1, y: 2)
# expect: 3
# expect: 30
# expect: Point(name: "n")
# expect: Point(x: 1, y: 2)
# expect: true, false
# expect: 6
# expect: [2]
# expect: "a function"
"$CSPVM" << 'END'
x := 1
func get() => x * 2
get()
x := 10
get()
func name() => "old"
func label(n) => "${name()}, $n" + "${n}"
func label(n) => "${name()}, ${n}"
func name() => "new"
label(3)
func fact(n) { if n < 2 { return 1 }; return n * fact(n - 1) }
fact(5)
struct Point { x = 0, y = 0 }
func make() => Point()
p := Point(1, 2)
p
func (p Point) sum() => p.x + p.y
p.sum()
func (p Point) sum() => 10 * (p.x + p.y)
p.sum()
struct Point { name = "n" }
make()
p
func check() { return make() is Point, p is Point }
check()
const k = 3
func twice() => k * 2
twice()
import "strings"
import m "maps"
strings := [2]
strings
strings := func() => "a function"
strings()
END
