# Whoever waits for the other end of a FIFO can be cancelled, and leaves no
# descriptor open.
# expect: open to write: 20
# expect: write_file: 20
# expect: append_file: 20
# expect: copy_file to it: 20
# expect: copy_file from it: 20
# expect: copy_file between two: 20
# expect: read_file: 20
# expect: lines: 20
# expect: file.read: 20
# expect: descriptors left: 0
mkfifo "$TMPDIR/fifo" "$TMPDIR/ready"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
dir := os.args[0]
fifo := dir + "/fifo"

func descriptors() => len(os.list_dir("/proc/self/fd")?)

func cancelled(name, wait) {
  times := 0
  for i in 20 {
    _, err := try(func() {
      group g {
        g.timeout(2ms)
        go wait()
      }
    })
    if "${err}" == "deadline exceeded" { times++ }
  }
  println("${name}: ${times}")
}

ready := os.open(dir + "/ready", "r+")?
ready.write("data")?
ready.flush()?
task := go os.read_file(fifo)
for !sched.dump().contains("[IO wait") { sleep(1ms) }
os.open(fifo, "w")?.close()?
<-task
before := descriptors()?
cancelled("open to write", func() => os.open(fifo, "w"))
cancelled("write_file", func() => os.write_file(fifo, "x"))
cancelled("append_file", func() => os.append_file(fifo, "x"))
cancelled("copy_file to it", func() => os.copy_file("/proc/self/stat", fifo))
cancelled("copy_file from it", func() => os.copy_file(fifo, "/dev/null"))
cancelled("copy_file between two", func() =>
  os.copy_file(dir + "/ready", fifo))
cancelled("read_file", func() => os.read_file(fifo))
cancelled("lines", func() { for line in os.lines(fifo)? { println(line) } })
file := os.open(fifo)?
cancelled("file.read", func() => file.read(1))
file.close()?
for i in 3 { sched.gc() }
println("descriptors left:", descriptors()? - before)
S
"$CSPVM" --procs 2 "$TMPDIR/a.csp" "$TMPDIR"
