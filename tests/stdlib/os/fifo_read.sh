# A FIFO that nobody writes yet: it is open at once, and reading it waits for
# data, and then for the end.
# expect: open
# expect: nothing yet
# expect: one, then two and three, then the end: true
# expect: after the end: true
# expect: read_file: two pieces
# expect: read_bytes: two pieces
# expect: lines: two pieces
# expect: copy_file: two pieces
# expect: a writer that writes nothing: ""
# expect: 10000000 bytes
mkfifo "$TMPDIR/fifo"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
dir := os.args[0]
fifo := dir + "/fifo"

func until(text) {
  for !sched.dump().contains(text) { sleep(1ms) }
}

r := os.open(fifo)?
println("open")
line := go r.read_line()
until("[IO wait")
println("nothing yet")
w := os.open(fifo, "w")?
w.write("one\n")?
w.flush()?
one, _ := <-line
all := go r.read_all()
until("[IO wait")
w.write("two\n")?
w.flush()?
w.write("three\n")?
w.close()?
rest, _ := <-all
println("${one}, then two and three, then the end:", rest == "two\nthree\n")
println("after the end:", r.read_line()? == nil)
r.close()?

func in_pieces(name, read) {
  task := go read()
  until("[IO wait")
  w := os.open(fifo, "w")?
  w.write("two ")?
  w.flush()?
  until("[IO wait")
  w.write("pieces")?
  w.close()?
  text, err := <-task
  println("${name}:", err ?? text)
}
in_pieces("read_file", func() => os.read_file(fifo))
in_pieces("read_bytes", func() => str(os.read_bytes(fifo)?))
in_pieces("lines", func() {
  for line in os.lines(fifo)? { return line, nil }
})
in_pieces("copy_file", func() {
  os.write_file(dir + "/copy", "what is longer than all that comes")?
  os.copy_file(fifo, dir + "/copy")?
  return os.read_file(dir + "/copy")
})

nothing := go os.read_file(fifo)
until("[IO wait os.read_file")
os.open(fifo, "w")?.close()?
println("a writer that writes nothing:", (<-nothing)?.quote())

much := go os.read_file(fifo)
until("[IO wait os.read_file")
os.write_file(fifo, "0123456789".repeat(1000000))?
println(len((<-much)?), "bytes")
S
"$CSPVM" --procs 2 "$TMPDIR/a.csp" "$TMPDIR"
