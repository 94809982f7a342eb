# Blocking calls that last, one less than there are places for (512), as many,
# one more, and more: others run meanwhile, calls that find no place wait for
# one, and all of them end. The calls write to a FIFO that is full, until the
# reader of the output has seen that others run.
# timeout: 60
# expect: ticked 10
# expect: written 511
# expect: ticked 10
# expect: ticked 10
# expect: written 512
# expect: ticked 10
# expect: ticked 10
# expect: written 513
# expect: ticked 10
# expect: ticked 10
# expect: written 520
# expect: ticked 10
# expect: ticked 10
# expect: written 511
# expect: ticked 10
# expect: ticked 10
# expect: written 512
# expect: ticked 10
# expect: ticked 10
# expect: written 513
# expect: ticked 10
# expect: ticked 10
# expect: written 520
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
errors := chan(n)
for i in n { go { errors <- os.write_file(os.args[0], "x") } }
sleep(10ms)
ticks()
written := 0
for i in n { if <-errors == nil { written++ } }
println("written", written)
ticks()
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
exec 3<>"$fifo"
for procs in 1 2; do
  for n in 511 512 513 520; do
    head -c 65536 /dev/zero >&3
    "$CSPVM" --procs $procs -e "$code" "$fifo" $n | {
      read -r line
      echo "$line"
      head -c $((65536 + n)) <&3 >/dev/null
      cat
    }
  done
done
