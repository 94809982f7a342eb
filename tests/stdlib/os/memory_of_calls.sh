# What calls read counts as memory from the beginning, and what they write is
# not copied. Where garbage fills the memory, it is collected for them.
# expect: read_file 3
# expect: read_bytes 3
# expect: read 3
# expect: read_line 3
# expect: run 3
# expect: written 12
# expect: out of memory: the limit is 64 MB
# expect: 2
# expect: nil out of memory: the limit is 64 MB
cat > "$TMPDIR/a.csp" <<"S"
import "os"
const SIZE = 24 << 20
path := os.temp_file()?
func make_file() => os.write_file(path, "x".repeat(SIZE))
make_file()?

// Each result is garbage when the next is made, which has no room beside it.
func times(name, f) {
  done := 0
  for i in 3 {
    if f()? >= SIZE { done++ }
  }
  println(name, done)
}
large := os.temp_file()?
os.open(large, "w")?.truncate(2 * SIZE - 100)?
times("read_file", func() => len(os.read_file(large)?))
times("read_bytes", func() => len(os.read_bytes(large)?))
times("read", func() => len(os.open(large)?.read(2 * SIZE)?))
times("read_line", func() => len(os.open(path)?.read_line()?))
times("run", func() => len(os.run("cat", [path])?.out))

func write_often() {
  text := "x".repeat(SIZE)
  raw := bytes(text)
  tasks := []
  for i in 3 {
    tasks.push(go os.write_file("/dev/null", text))
    tasks.push(go os.write_file("/dev/null", raw))
    tasks.push(go os.open("/dev/null", "w")?.write(text, raw, text))
    tasks.push(go os.run("true", stdin: text))
  }
  for t in tasks { <-t }
  println("written", len(tasks))
}
write_often()

// Three at once are too much. The tasks keep what was read.
func read_often() {
  tasks := []
  for i in 3 { tasks.push(go try(func() => os.read_file(path)?)) }
  read := 0
  for t in tasks {
    got, err := <-t
    if err == nil { read++ } else { println(err) }
  }
  println(read)
}
read_often()
println(try(func() => os.read_bytes("/dev/zero")))
S
"$CSPVM" --max-memory 64 "$TMPDIR/a.csp"
