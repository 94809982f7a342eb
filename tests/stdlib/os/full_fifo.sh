# Whatever is called on a FIFO that is full, because nobody reads it, can be
# given up, and holds no thread. Other goroutines use the file meanwhile. When
# there is room it goes on, and nothing is lost.
# expect: write: deadline exceeded
# expect: write, small: deadline exceeded
# expect: flush: deadline exceeded
# expect: sync: deadline exceeded
# expect: close: deadline exceeded
# expect: seek: deadline exceeded
# expect: write_file: deadline exceeded
# expect: append_file: deadline exceeded
# expect: copy_file: deadline exceeded
# expect: read: deadline exceeded
# expect: read beside a write: true
# expect: close beside a write: closed
# expect: all of it: nil nil nil true
# expect: small ones: nil true
# procs: 1,2,8
mkfifo "$TMPDIR/fifo" "$TMPDIR/other" "$TMPDIR/slow"
cat > "$TMPDIR/a.csp" << 'S'
import "os"
import "time"
fifo, other, slow := os.args[0] + "/fifo", os.args[0] + "/other", os.args[0] + "/slow"
text := "0123456789".repeat(30_000)

opened := []
// A reader that reads nothing, and a writer that has filled the FIFO.
func full(path, f) {
  keeps := os.open(path, "r+")?
  defer { keeps.close() }
  _ = time.limit(20ms, func() => os.write_file(path, "x".repeat(1 << 16)))
  return f()
}
func gives_up(name, f) {
  _, err := full(fifo, func() => time.limit(50ms, f))
  println("${name}: ${err}")
  for file in opened { _ = file.close() }  // nobody reads it any more
  opened.clear()
}
// Its buffer has something.
func with_file(f) {
  file := os.open(fifo, "w")?
  file.write("buffered")?
  opened.push(file)
  return f(file)
}
gives_up("write", func() => with_file(func(file) => file.write(text)))
gives_up("write, small", func() => with_file(func(file) {
  for { file.write("0123456789".repeat(1000))? }
}))
gives_up("flush", func() => with_file(func(file) => file.flush()))
gives_up("sync", func() => with_file(func(file) => file.sync()))
gives_up("close", func() => with_file(func(file) => file.close()))
gives_up("seek", func() => with_file(func(file) => file.seek(0)))
gives_up("write_file", func() => os.write_file(fifo, text))
gives_up("append_file", func() => os.append_file(fifo, text))
os.write_file(os.args[0] + "/file", text)?
gives_up("copy_file", func() => os.copy_file(os.args[0] + "/file", fifo))

// A file for both: its reader writes what is buffered first.
both := os.open(other, "r+")?
_, err := time.limit(50ms, func() => both.read(10))
println("read: ${err}")
writing := go both.write(text)
println("read beside a write: ${both.read(100)? == text[:100]}")
both.close()?
println("close beside a write: ${(<-writing).code}")

// A slow reader gets all.
func read_slowly() {
  from := os.open(slow)?
  got := ""
  for {
    piece := from.read(50_000)?
    if piece == nil { break }
    got += piece
    sleep(1ms)
  }
  return got, nil
}
reading := go read_slowly()
to := os.open(slow, "w")?
a, b := to.write("first\n"), to.write(text)
c := to.close()
got, _ := <-reading
println("all of it: ${a} ${b} ${c} ${got == "first\n" + text}")
reading = go read_slowly()
to = os.open(slow, "w")?
for i in 20_000 { to.write("line ${i}\n")? }
err = to.close()
got, _ = <-reading
println("small ones: ${err} ${got == list(0..20_000).map(func(i) => "line ${i}\n").join("")}")
S
"$CSPVM" "$TMPDIR/a.csp" "$TMPDIR"
