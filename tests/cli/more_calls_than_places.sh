# Blocking calls that last, one less than there are places for (512), as many,
# one more, and more: others run meanwhile, calls that find no place wait for
# one, and all of them end. The
# calls open a FIFO, which blocks until the reader of the output has seen that
# others run.
# timeout: 60
# expect: ticked 10
# expect: opened 511
# expect: ticked 10
# expect: ticked 10
# expect: opened 512
# expect: ticked 10
# expect: ticked 10
# expect: opened 513
# expect: ticked 10
# expect: ticked 10
# expect: opened 520
# expect: ticked 10
# expect: ticked 10
# expect: opened 511
# expect: ticked 10
# expect: ticked 10
# expect: opened 512
# expect: ticked 10
# expect: ticked 10
# expect: opened 513
# expect: ticked 10
# expect: ticked 10
# expect: opened 520
# expect: ticked 10
code='import "os"

func ticks() {
  n := 0
  for i in 10 {
    sleep(1ms)
    n++
  }
  println("ticked", n)
}

n := os.args[1].parse_int()?
opened := chan(n)
for i in n { go { opened <- os.open(os.args[0])? } }
sleep(10ms)
ticks()
files := []
for i in n { files.push(<-opened) }
println("opened", len(files))
for f in files { f.close() }
ticks()
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
for procs in 1 2; do
  for n in 511 512 513 520; do
    "$CSPVM" --procs $procs -e "$code" "$fifo" $n | {
      read -r line
      echo "$line"
      exec 3<>"$fifo"
      cat
    }
  done
done
