# A read that ends without memory loses nothing: what it had read is read again,
# in its order, of a file and of a pipe.
# expect: nil out of memory: the limit is 5 MB
# expect: file: 3145720 bytes, in order
# expect: nil out of memory: the limit is 5 MB
# expect: pipe: 3145720 bytes, in order
cat > "$TMPDIR/a.csp" <<"S"
import "os"
const COUNT = 3 << 17

func number(i) => "0".repeat(8 - len(str(i))) + str(i)

if os.args[0] == "write" {
  for i in COUNT { print(number(i)) }
  os.exit(0)
}
file := os.stdin
if os.args[0] == "file" { file = os.open(os.args[1])? }
assert(file.read(8)? == number(0))
println(try(func() => file.read_line()?))
for i in 1..COUNT {
  got := file.read(8)?
  if got != number(i) {
    println("number", i, "is", got)
    os.exit(1)
  }
}
println("${os.args[0]}: ${8 * (COUNT - 1)} bytes, in order")
S
"$CSPVM" "$TMPDIR/a.csp" write > "$TMPDIR/numbers"
"$CSPVM" --max-memory 5 "$TMPDIR/a.csp" file "$TMPDIR/numbers"
cat "$TMPDIR/numbers" | "$CSPVM" --max-memory 5 "$TMPDIR/a.csp" pipe
