# Without a descriptor to watch with, a reader waits in a thread. Its group's
# end and deadline end that wait, too, and nothing is lost.
# expect: true nil deadline exceeded first
# timeout: 20
cd "$TMPDIR" || exit 1
mkfifo fifo
echo text > a.txt
cat > script.csp << 'END'
import "os"
import "sched"
fifo := os.open("fifo", "r+")?
writer := os.open("fifo", "w")?
files := []
for {
  file, err := os.open("a.txt")
  if err != nil { break }
  files.push(file)
}
func ended(ends) {
  _, err := try(func() {
    group g {
      go func() { _, _ = fifo.read_line() }()
      for !sched.dump().contains("read_line") { sleep(1ms) }
      ends(g)
      select { }
    }
  })
  return err
}
func cancel(g) { g.cancel() }
func deadline(g) { g.timeout(1ms) }
nothing := ended(cancel)
late := ended(deadline)
writer.write("first\n")?
writer.flush()?
println(len(files) > 20, nothing, late, fifo.read_line()?)
END
ulimit -n 64
"$CSPVM" --procs 2 script.csp
