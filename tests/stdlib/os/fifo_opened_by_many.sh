# FIFOs whose other end nobody opens: however many goroutines open them, no
# thread waits (there are 4), others run, and files can be read meanwhile.
# expect: 1: opened 600, ticked 10, a file can be read
# expect: 1: reading 300, ticked 10, a file can be read
# expect: 1: writing 600, ticked 10, a file can be read
# expect: 2: opened 600, ticked 10, a file can be read
# expect: 2: reading 300, ticked 10, a file can be read
# expect: 2: writing 600, ticked 10, a file can be read
# timeout: 60
mkfifo "$TMPDIR/fifo"
echo "a file can be read" > "$TMPDIR/file"
cat > "$TMPDIR/a.csp" <<"S"
import "os"
import "sched"
dir := os.args[0]
fifo := dir + "/fifo"

func look(what) {
  n := 0
  for i in 10 {
    sleep(1ms)
    n++
  }
  print("${sched.procs()}: ${what}, ticked ${n}, ")
  print(os.read_file(dir + "/file")?)
}
func until(text) {
  for !sched.dump().contains(text) { sleep(1ms) }
}

tasks := []
for i in 600 { tasks.push(go os.open(fifo)) }
files := []
for t in tasks { files.push((<-t)?) }
look("opened ${len(files)}")
for f in files { f.close() }

group g {
  for i in 300 { go os.read_file(fifo) }
  until("300 goroutines [IO wait os.read_file")
  look("reading 300")
  g.cancel()
}
group g {
  for i in 600 { go os.write_file(fifo, "x") }
  until("goroutines [sleep os.write_file")
  look("writing 600")
  g.cancel()
}
S
for procs in 1 2; do
  "$CSPVM" --procs $procs --max-threads 4 "$TMPDIR/a.csp" "$TMPDIR"
done
