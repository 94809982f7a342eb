# What was printed is seen while a blocking call lasts, though nothing else runs.
# expect: before 1
# expect: before 2
code='import "os"
println("before", os.args[1])
os.open(os.args[0])?
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
for procs in 1 2; do
  "$CSPVM" --procs $procs -e "$code" "$fifo" $procs | {
    read -r line
    echo "$line"
    exec 3<>"$fifo"
    cat
  }
done
