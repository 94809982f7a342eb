# Blocking calls that last, one less than there are places for (512), as many,
# one more, and more: others run meanwhile, calls that find no place wait for
# one, and all of them end. The calls write to a standard error that is full,
# until the reader of the output has seen that others run. Each takes a thread.
# timeout: 60
# expect: in calls 511
# expect: ticked 10
# expect: written 511
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 512
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 513
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 520
# expect: ticked 10
# expect: in calls 511
# expect: ticked 10
# expect: written 511
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 512
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 513
# expect: ticked 10
# expect: in calls 512
# expect: ticked 10
# expect: written 520
# expect: ticked 10
code='import "fmt"
import "os"
import "sched"

const places = 512

func ticks() {
  n := 0
  for i in 10 {
    sleep(1ms)
    n++
  }
  println("ticked", n)
}

n := os.args[0].parse_int()?
over := chan(n)
for i in n {
  go {
    fmt.eprint("x")
    over <- true
  }
}
for sched.stats().syscalls < min(n, places) { sleep(1ms) }
sleep(20ms)
calls := sched.stats().syscalls
assert(sched.stats().threads > calls, "a call took no thread")
// A quick call that began before all places were taken may come on top, one
// for each P but one.
assert(calls < places + sched.stats().procs, "${calls} calls")
println("in calls", min(calls, places))
ticks()
for i in n { <-over }
println("written", n)
ticks()
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
exec 3<>"$fifo"
for procs in 1 2; do
  for n in 511 512 513 520; do
    head -c 65536 /dev/zero >&3
    "$CSPVM" --procs $procs -e "$code" $n 2>"$fifo" | {
      read -r line
      echo "$line"
      read -r line
      echo "$line"
      head -c $((65536 + n)) <&3 >/dev/null
      cat
    }
  done
done
