# Threads for as many Ps, one less, one more: those that are too many for the
# threads are not there, and one thread (which would freeze) is an error. Then
# calls that block a thread each, one less than --max-threads leaves for them
# (one thread runs the script), as many, one more, many more: those that find no
# thread wait, the script goes on, and then all works as before.
# timeout: 60
# expect: 1: cspvm: --max-threads needs a number from 2 to 1000000, not `1`
# expect: 1: cspvm: --max-threads needs a number from 2 to 1000000, not `1`
# expect: 1: cspvm: --max-threads needs a number from 2 to 1000000, not `1`
# expect: 1: cspvm: --max-threads needs a number from 2 to 1000000, not `1`
# expect: 2: 1 ticked 10
# expect: written 1 of 1
# expect: 1 again
# expect: 2: 2 ticked 10
# expect: written 2 of 2
# expect: 1 again
# expect: 2: 3 ticked 10
# expect: written 3 of 3
# expect: 1 again
# expect: 2: 4 ticked 10
# expect: written 4 of 4
# expect: 1 again
# expect: 3: 1 ticked 10
# expect: written 1 of 1
# expect: 1 again
# expect: 3: 2 ticked 10
# expect: written 2 of 2
# expect: 1 again
# expect: 3: 3 ticked 10
# expect: written 3 of 3
# expect: 1 again
# expect: 3: 4 ticked 10
# expect: written 4 of 4
# expect: 1 again
# expect: 4: 1 ticked 10
# expect: written 1 of 1
# expect: 1 again
# expect: 4: 2 ticked 10
# expect: written 2 of 2
# expect: 1 again
# expect: 4: 3 ticked 10
# expect: written 3 of 3
# expect: 1 again
# expect: 4: 4 ticked 10
# expect: written 4 of 4
# expect: 1 again
# expect: 3
# expect: 30 ticked 10
# expect: written 30 of 30
# expect: 1 again
# expect: 6 ticked 10
# expect: written 6 of 6
# expect: 1 again
# expect: 7 ticked 10
# expect: written 7 of 7
# expect: 1 again
# expect: 8 ticked 10
# expect: written 8 of 8
# expect: 1 again
# expect: 30 ticked 10
# expect: written 30 of 30
# expect: 1 again
code='import "os"

n := os.args[1].parse_int()?
told := {}
errors := chan(n)
for i in n { go { errors <- os.write_file(os.args[0], "x") } }
sleep(10ms)
ticked := 0
for i in 10 {
  sleep(1ms)
  ticked++
}
println(n, "ticked", ticked)
written := 0
for i in n {
  err := <-errors
  if err != nil { told["${err}"] = true }
  if err == nil { written++ }
}
println("written", written, "of", n)
for text in told { println(text) }
f, err := os.open("/dev/null")
println(err ?? 1, "again")
'
fifo=$TMPDIR/fifo
# Makes one that is full; shows what comes and lets it be written.
fill() {
  rm -f "$fifo"
  mkfifo "$fifo"
  exec 3<>"$fifo"
  head -c 65536 /dev/zero >&3
}
drain() {
  cat <&3 >/dev/null &
  cat
  kill $!
}
# At most as many Ps as there are threads, without one.
for threads in 1 2 3 4; do
  for n in 1 2 3 4; do
    fill
    "$CSPVM" --procs 3 --max-threads $threads -e "$code" "$fifo" $n 2>&1 | {
      read -r line
      echo "$threads: $line"
      drain
    }
  done
done
# Nor later: more Ps leave fewer threads to calls.
fill
"$CSPVM" --procs 1 --max-threads 4 -e "import \"sched\"
sched.set_procs(100)
println(sched.procs())
$code" "$fifo" 30 | {
  read -r line
  echo "$line"
  read -r line
  echo "$line"
  drain
}
for n in 6 7 8 30; do
  fill
  "$CSPVM" --procs 1 --max-threads 8 -e "$code" "$fifo" $n | {
    read -r line
    echo "$line"
    drain
  }
done
