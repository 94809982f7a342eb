# json.parse takes at most a tenth of the text beyond the values. Two things
# show that no part of the text is copied: what the heap gave out meanwhile, and
# a limit that leaves no room for a copy.
# (A list grows that is not whole when a piece of the work ends. The lists here
# are short, so that what they leave behind is little.)
# expect: maps true
# expect: strings true
# expect: numbers true
# expect: one string true
# expect: escapes true
# expect: blanks true
# expect: a string beside half of the memory: true
# expect: bytes beside half of the memory: true
# small: SIZE=20000
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
import "sched"
const SIZE = int(os.env("SIZE", "8000000"))  // bytes of a text, about
func collected() {
  sched.gc()
  sched.gc()  // what the first has left to sweep
  return sched.stats()
}
func measure(name, text) {
  for data in [text, bytes(text)] {
    before := collected()
    value := json.parse(data)?
    given := sched.stats().heap_allocated - before.heap_allocated
    kept := collected().heap_live - before.heap_live
    assert(len(value) > 0)
    // The window of bytes is of one size.
    beyond := given - kept - 100_000
    if beyond > len(text) / 10 {
      println(name, "took ${given} bytes for values of ${kept}, and the text has ${len(text)}")
      return nil
    }
  }
  println(name, true)
}
// Lists of 8 lists of 8 lists and so on.
func many(text) {
  for len(text) < SIZE { text = "[" + (text + ",").repeat(7) + text + "]" }
  return text
}
measure("maps", many("{\"id\": 123, \"name\": \"some name\", \"tags\": [\"a\", \"b\"], \"price\": 12.5}"))
measure("strings", many("\"a string that is a little longer\""))
measure("numbers", many("-1234567.125e2, 17"))
measure("one string", "[\"" + "x".repeat(SIZE) + "\"]")
measure("escapes", "[\"" + "\\u00e9\\n".repeat(SIZE / 8) + "\"]")
measure("blanks", "[" + " ".repeat(SIZE) + "1]")
P
cat > "$TMPDIR/half.csp" <<'P'
import "json"
import "os"
import "sched"
const SIZE = min(int(os.env("SIZE", "18000000")), 18000000)
text := " ".repeat(SIZE)
sched.gc()
_, err := json.parse(text)
println("a string beside half of the memory:", err.message.contains("column ${SIZE + 1}: the text ends"))
text = nil
sched.gc()
data := bytes(SIZE)
data.fill(32)
data[SIZE - 1] = 55
println("bytes beside half of the memory:", json.parse(data)? == 7)
P
"$CSPVM" "$TMPDIR/main.csp"
"$CSPVM" --max-memory 32 "$TMPDIR/half.csp"
