# A FIFO that nobody reads yet: writing it waits for the reader, in a sleep.
# A FIFO keeps O_NONBLOCK, so that no write has a thread wait. What is no FIFO
# is open as it would be without.
# expect: open: through nil
# expect: write_file: through nil
# expect: append_file: through nil
# expect: copy_file: through nil
# expect: copy from one into another: through nil
# expect: no O_NONBLOCK: true true false false
mkfifo "$TMPDIR/fifo" "$TMPDIR/from"
printf through > "$TMPDIR/file"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
dir := os.args[0]
fifo := dir + "/fifo"

func until(text) {
  for !sched.dump().contains(text) { sleep(1ms) }
}

func to_reader(name, call, write) {
  task := go write()
  until("[sleep os.${call}")
  sleep(100ms)
  println("${name}: ${os.read_file(fifo)?} ${<-task}")
}
to_reader("open", "open", func() {
  f := os.open(fifo, "w")?
  f.write("through")?
  return f.close()
})
to_reader("write_file", "write_file", func() => os.write_file(fifo, "through"))
to_reader("append_file", "append_file", func() =>
  os.append_file(fifo, "through"))
to_reader("copy_file", "copy_file", func() =>
  os.copy_file(dir + "/file", fifo))

go {
  // Its reader keeps it open while there is nobody to read the other.
  f := os.open(dir + "/from", "w")?
  f.write("thr")?
  f.flush()?
  until("[sleep os.copy_file")
  f.write("ough")?
  f.close()?
}
to_reader("copy from one into another", "copy_file", func() =>
  os.copy_file(dir + "/from", fifo))

func waits(path, mode) {
  f := os.open(path, mode)?
  fd := 0
  for name in os.list_dir("/proc/self/fd")? {
    target, _ := os.read_link("/proc/self/fd/" + name)
    if target == path { fd = name }
  }
  for line in os.lines("/proc/self/fdinfo/${fd}")? {
    if line.has_prefix("flags:") {
      return line.fields()[1].parse_int(8)? & 0o4000 == 0, nil
    }
  }
}
println("no O_NONBLOCK:", waits(dir + "/file", "a")?, waits("/dev/zero", "r")?,
  waits(fifo, "r+")?, waits(dir + "/from", "a+")?)
S
"$CSPVM" --procs 2 "$TMPDIR/a.csp" "$TMPDIR"
