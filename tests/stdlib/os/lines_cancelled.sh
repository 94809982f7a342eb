# A goroutine that is cancelled while it waits in os.lines for a FIFO closes it.
# A file of os.open stays open.
# expect: descriptors left by lines: 0
# expect: another reader: the file is closed, or not open for that
# expect: descriptors left by file.lines: 1
mkfifo "$TMPDIR/fifo"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
fifo := os.args[0] + "/fifo"

func descriptors() => len(os.list_dir("/proc/self/fd")?)

func cancelled(next) {
  group g {
    go next()
    for !sched.dump().contains("[IO wait") { sleep(1ms) }
    g.cancel()
  }
}
cancelled(os.lines(fifo)?)
before := descriptors()?
next := nil
for i in 20 {
  next = os.lines(fifo)?
  cancelled(next)
}
println("descriptors left by lines:", descriptors()? - before)
_, err := try(next)
println("another reader:", err.message.split(": ").pop())
file := os.open(fifo)?
cancelled(file.lines())
println("descriptors left by file.lines:", descriptors()? - before)
file.close()?
S
"$CSPVM" --procs 2 "$TMPDIR/a.csp" "$TMPDIR"
