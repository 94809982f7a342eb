# Goroutines that wait for a descriptor each, all at once. They are as many as a
# block of netpoll's records has (256), one less, one more, then as many as
# there are descriptors for, which each wait needs one of, and more.
# expect: 255 255
# expect: 256 256
# expect: 257 257
# expect: 255 255
# expect: 256 256
# expect: 257 257
# expect: 12 12
# expect: 13 13
# expect: 14 14
# expect: 15 15
# expect: 20 20
for i in $(seq 1 257); do echo "$TMPDIR/f$i"; done | xargs mkfifo
code='import "os"
import "sched"
func all(n) {
  files := []
  for i in n { files.push(os.open("${os.args[0]}/f${i + 1}", "r+")?) }
  readers := files.map(func(f) => go f.read(1))
  for i in 3 { sched.yield() }  // on one P: each has begun to wait
  for f in files {
    f.write("x")?
    f.flush()?
  }
  read := 0
  for r in readers {
    text, err := <-r
    if err == nil { read += len(text) }
  }
  for f in files { f.close() }
  println(n, read)
}
for i in 1..len(os.args) { all(os.args[i].parse_int()?) }
'
ulimit -n 1024
"$CSPVM" --procs 1 -e "$code" "$TMPDIR" 255 256 257 255 256 257
ulimit -n 32
"$CSPVM" --procs 1 -e "$code" "$TMPDIR" 12 13 14 15 20
