# Readers of one file: those whose turn it is not park. They can be cancelled,
# come after each other, take no threads, and end when the file is closed.
# expect: deadline exceeded
# expect: first a nil, then bcd nil
# expect: bytes(e), nil
# expect: 60 of 60
# expect: read after close: true true
mkfifo "$TMPDIR/fifo"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
f := os.open(os.args[0], "r+")?
func until(text, n) {
  for len(sched.dump().split(text)) != n + 1 { sleep(1ms) }
}

// The first waits in netpoll, the second for its turn.
first := go f.read_line()
until("[IO wait", 1)
_, err := try(func() {
  group g {
    g.timeout(20ms)
    go f.read_line()
  }
})
println(err)

then := go f.read(3)
until("_read_in_turn", 1)
f.write("a\n")
f.flush()
line, err1 := <-first
f.write("bcd")
f.flush()
text, err2 := <-then
println("first ${line} ${err1}, then ${text} ${err2}")

third := go f.read_line()
until("[IO wait", 1)
fourth := go f.read_bytes(1)
until("_read_in_turn", 1)
f.write("x\ne")
f.flush()
<-third
b, err3 := <-fourth
println("bytes(${str(b)}), ${err3}")

readers := []
for _ in 60 { readers.push(go f.read_line()) }
until("[IO wait", 1)
for n in 60 { f.write("${n}\n") }
f.flush()
seen := {}
for r in readers {
  line, err := <-r
  assert(err == nil)
  seen[line] = true
}
println("${len(seen)} of 60")

readers = [go f.read_line(), go f.read_all()]
until("_read_in_turn", 1)
f.close()
_, errs1 := <-readers[0]
_, errs2 := <-readers[1]
println("read after close:", errs1 != nil, errs2 != nil)
S
"$CSPVM" --max-threads 40 "$TMPDIR/a.csp" "$TMPDIR/fifo"
