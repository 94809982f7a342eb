# Calls that block a thread each, one less than --max-threads leaves for them
# (one thread runs the script), as many, one more, many more: those that find no
# thread wait, the script goes on, and then all works as before.
# timeout: 60
# expect: 6 ticked 10
# expect: opened 6 of 6
# expect: 1 again
# expect: 7 ticked 10
# expect: opened 7 of 7
# expect: 1 again
# expect: 8 ticked 10
# expect: opened 8 of 8
# expect: 1 again
# expect: 30 ticked 10
# expect: opened 30 of 30
# expect: 1 again
code='import "os"

n := os.args[1].parse_int()?
told := {}
opened := chan(n)
for i in n {
  go {
    f, err := os.open(os.args[0])
    if err != nil { told["${err}"] = true }
    opened <- f
  }
}
sleep(10ms)
ticked := 0
for i in 10 {
  sleep(1ms)
  ticked++
}
println(n, "ticked", ticked)
files := 0
for i in n { if <-opened != nil { files++ } }
println("opened", files, "of", n)
for text in told { println(text) }
f, err := os.open("/dev/null")
println(err ?? 1, "again")
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
for n in 6 7 8 30; do
  "$CSPVM" --procs 1 --max-threads 8 -e "$code" "$fifo" $n | {
    read -r line
    echo "$line"
    exec 3<>"$fifo"
    cat
  }
done
