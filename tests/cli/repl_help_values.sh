# What ?NAME shows of an imported file, of variables, and of methods by what the
# variable holds.
# expect: geo
# expect:     a module of lib/geo.csp, with
# expect:     unit
# expect:     area(w, h = ...)
# expect:     Point(x, y)
# expect: func area(w,
# expect:   h = 1)
# expect:     The area of a rectangle,
# expect:     in squares.
# expect:     (lib/geo.csp:6)
# expect: geo.unit
# expect:     a value, now the string "cm"
# expect: `geo` has no `none`
# expect: func (p Point) norm()
# expect:     (lib/geo.csp:2)
# expect: func (p Point) norm()
# expect:     (lib/geo.csp:2)
# expect: p.x
# expect:     a value, now the int 1
# expect: the library has no `p.none`
# expect: func (p Point) norm()
# expect:     (lib/geo.csp:2)
# expect: x
# expect:     a variable, now the int 5
# expect: c
# expect:     a constant, now the string "äääääääääääääääääääääääääääää...
# expect: _
# expect:     the value before, now nil
# expect: n
# expect:     a variable, now nil
# expect: nil
# expect: geo.area(w, h = ...)
# expect:     (lib/geo.csp:7)
# expect: timer.stop()
# expect: the library has no `timer.stpo` (did you mean `timer.stop`?)
# expect: error(message, cause = nil, code = nil)
# expect: xs.push(values...)
# expect: the library has no `list.split`
# expect: os.getwd()
# expect: the library has no `os.gtwd` (did you mean `os.getwd`?)
# expect: len
# expect:     a variable, now the int 3
# expect:     It hides the library's:
# expect: len(x)
# expect exit: 1
cd "$TMPDIR" || exit
mkdir lib
cat > lib/geo.csp << 'END'
struct Point { x, y }
func (p Point) norm() => p.x

// The area of a rectangle,
// in squares.
func area(w,
  h = 1) => w * h
const unit = "cm"
func _hidden() => 1
END
"$CSPVM" 2>&1 << 'END'
import "./lib/geo"
?geo
?geo.area
?geo.unit
?geo.none
?geo.Point.norm
p := geo.Point(1, 2)
?p.norm
?p.x
?p.none
m := {inner: {point: p}}
?m.inner.point.norm
x := 5
?x
const c = "ä".repeat(100)
?c
?_
n := nil
?n
import "os"
os.remove_all("lib")
?geo.area
END
status=$?
# Of the library only the heads.
"$CSPVM" << 'END' 2>&1 | sed -n '/^[a-z]/p; /now the/p; /hides/p'
t := timer(1h)
?t.stop
?t.stpo
err := error("x")
?err.trace
xs := [1]
?xs.push
?xs.split
import "os"
?os.getwd
?os.gtwd
len := 3
?len
END
exit $status
