# What was printed is seen while a blocking call lasts, though nothing else
# runs.
# expect: before 1
# expect: before 2
code='import "os"
println("before", os.args[1])
os.write_file(os.args[0], "x")?
'
fifo=$TMPDIR/fifo
mkfifo "$fifo"
exec 3<>"$fifo"
for procs in 1 2; do
  head -c 65536 /dev/zero >&3  # it is full
  "$CSPVM" --procs $procs -e "$code" "$fifo" $procs | {
    read -r line
    echo "$line"
    head -c 65537 <&3 >/dev/null
    cat
  }
done
