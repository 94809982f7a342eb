# Values are shown in source form; long and deep ones are shortened.
# expect: [1, "a\n", 1.5, {"k": nil, 2: [true]}, 'x' is 120]
# expect: [0, 1]... 900 more]
# expect: [[[[[...]]]]]
# expect: 1000 a, 4000 more bytes
# expect: bytes("\x00\x01")
# expect: error("m", cause: error("c"))
# expect: error("m", cause: error("c", code: "inner"), code: -7)
# expect: Pair(a: Pair(a: 1, b: 2), b: <func f>)
# expect: [[[[[...]]]]]
# expect: ok
{
  cat << 'END'
[1, "a\n", 1.5, {k: nil, 2: [true]}, "'x' is " + str('x')]
var xs = []; for i in 1000 { xs.push(i) }
xs
[[[[[[1]]]]]]
import "strings"
strings.repeat("a", 5000)
bytes([0, 1])
error("m", cause: error("c"))
error("m", code: -7, cause: error("c", code: "inner"))
struct Pair { a, b }; func f() { }
func (p Pair) string() => "not this"
Pair(Pair(1, 2), f)
again := []; again.push(again); again
END
} | "$CSPVM" > "$TMPDIR/out"
sed -n "1s/\"'x' is 120\"/'x' is 120/p; 2s/, 2, .*, 99, /]/p; 3p
  4s/^\"a*\"\.\.\. /1000 a, /p; 5,\$p" "$TMPDIR/out"
[ "$(sed -n 4p "$TMPDIR/out" | tr -cd a | wc -c)" = 1000 ] && echo ok
