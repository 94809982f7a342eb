# Whatever is called on a terminal whose output is stopped can be given up, and
# holds no thread. When it goes on, nothing is lost.
# needs: python3
# expect: write: deadline exceeded
# expect: write, small: deadline exceeded
# expect: flush: deadline exceeded
# expect: close: deadline exceeded
# expect: write_file: deadline exceeded
# expect: copy_file: deadline exceeded
# expect: read: deadline exceeded
# expect: all of it: nil nil nil
# expect: it came: True
# procs: 1,2,8
cat > "$TMPDIR/a.csp" << 'S'
import "os"
import "time"
tty, dir := os.args[0], os.args[1]
text := "0123456789".repeat(30_000)

opened := []
func gives_up(name, f) {
  _, err := time.limit(50ms, f)
  println("${name}: ${err}")
}
func with_file(f) {
  file := os.open(tty, "w")?
  file.write("buffered".repeat(8000))?
  opened.push(file)
  return f(file)
}
gives_up("write", func() => with_file(func(file) => file.write(text)))
gives_up("write, small", func() => with_file(func(file) {
  for { file.write("0123456789".repeat(1000))? }
}))
gives_up("flush", func() => with_file(func(file) => file.flush()))
gives_up("close", func() => with_file(func(file) => file.close()))
gives_up("write_file", func() => os.write_file(tty, text))
os.write_file(dir + "/file", text)?
gives_up("copy_file", func() => os.copy_file(dir + "/file", tty))
gives_up("read", func() => os.open(tty, "r+")?.read(10))

// What was written is read from here on.
os.write_file(dir + "/reads", "")?
for file in opened { _ = file.close() }
to := os.open(tty, "w")?
a, b := to.write("first\n"), to.write(text)
println("all of it: ${a} ${b} ${to.close()}")
S
cat > "$TMPDIR/terminal.py" << 'P'
import os, subprocess, sys, time, tty
ours, theirs = os.openpty()
tty.setraw(theirs)
command = [sys.argv[1], sys.argv[2], os.ttyname(theirs), sys.argv[3]]
program = subprocess.Popen(command)
while not os.path.exists(sys.argv[3] + "/reads") and program.poll() is None:
    time.sleep(0.01)
os.set_blocking(ours, False)
got = b""
while True:
    ended = program.poll() is not None
    try:
        got += os.read(ours, 1 << 16)
    except BlockingIOError:
        if ended: break
        time.sleep(0.005)
whole = b"first\n" + b"0123456789" * 30_000
print("it came:", got.endswith(whole), flush=True)
sys.exit(program.wait())
P
python3 "$TMPDIR/terminal.py" "$CSPVM" "$TMPDIR/a.csp" "$TMPDIR"
