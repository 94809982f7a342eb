# A collected file that would have to wait (a pipe that is full) does not stop
# the collector. What it has left is written at the end.
# expect: the others go on
# expect: 140000
# timeout: 60
cd "$TMPDIR" || exit 1
mkfifo pipe
exec 3<> pipe
cat > script.csp << 'END'
import "os"
import "sched"
func leave(count) {
  file := os.open("pipe", "w")?
  file.write("x".repeat(count))?
}
leave(60000)
leave(20000)
leave(60000)
for i in 3 { sched.gc() }
println("the others go on")
os.write_file("go", "")?
END
(until [ -e go ]; do sleep 0.01; done; exec head -c 140000 <&3 > got) &
"$CSPVM" --procs 1 script.csp || kill $!  # else nobody would end it
wait
wc -c < got
