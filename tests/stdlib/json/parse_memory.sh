# json.parse takes at most a tenth of the text beyond the values. Two things
# show that no part of the text is copied: what the heap gave out meanwhile, and
# a limit that leaves no room for a copy.
# (A list grows that is not whole when a piece of the work ends. So most lists
# here are short: what they leave behind is little.)
#
# Fault: what a long list had grown out of waited for a collection, and was
# twice as much as the list.
# expect: maps true
# expect: strings true
# expect: numbers true
# expect: one string true
# expect: escapes true
# expect: blanks true
# expect: one long list true
# expect: one long list in a map true
# expect: a long list beside its text: 1500000
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
cat > "$TMPDIR/long.csp" <<'P'
import "json"
import "os"
import "sched"
const COUNT = int(os.env("SIZE", "8000000")) / 8
func collected() {
  sched.gc()
  sched.gc()  // as above
  return sched.stats()
}
list_text := "[" + "1234567,".repeat(COUNT - 1) + "1]"
text := if os.args[0] == "list" { list_text } else { "{\"a\": 1, \"b\": ${list_text}}" }
before := collected()
value := json.parse(text)?
given := sched.stats().heap_allocated - before.heap_allocated
kept := collected().heap_live - before.heap_live
assert(len(if value is map { value.b } else { value }) == COUNT)
if given - kept - 100_000 <= len(text) / 10 {
  println("one long", os.args[0], true)
} else {
  println("took ${given} bytes for values of ${kept}, and the text has ${len(text)}")
}
P
cat > "$TMPDIR/beside.csp" <<'P'
import "json"
println("a long list beside its text:", len(json.parse("[" + "1,".repeat(1_499_999) + "1]")?))
P
"$CSPVM" "$TMPDIR/main.csp"
"$CSPVM" "$TMPDIR/long.csp" list
"$CSPVM" "$TMPDIR/long.csp" "list in a map"
"$CSPVM" --max-memory 20 "$TMPDIR/beside.csp"
"$CSPVM" --max-memory 32 "$TMPDIR/half.csp"
