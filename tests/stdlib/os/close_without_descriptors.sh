# Without a descriptor to watch with, a reader waits in a thread. Closing the
# file ends that wait, too.
# expect: true cannot read fifo: the file is closed, or not open for that
# timeout: 20
cd "$TMPDIR" || exit 1
mkfifo fifo
echo text > a.txt
cat > script.csp << 'END'
import "os"
import "sched"
fifo := os.open("fifo", "r+")?
files := []
for {
  file, err := os.open("a.txt")
  if err != nil { break }
  files.push(file)
}
reader := go func() {
  _, err := fifo.read_line()
  return err
}()
for !sched.dump().contains("read_line") { sleep(1ms) }
fifo.close()?
println(len(files) > 20, <-reader)
END
ulimit -n 64
"$CSPVM" --procs 2 script.csp
