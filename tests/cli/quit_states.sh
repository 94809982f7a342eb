# SIGQUIT shows what each goroutine does or waits for, one in an endless loop
# and one in a call that nobody ends included; the program then ends with status
# 2, and what it has printed is there.
# expect: printed before
# expect: status 2
# expect: SIGQUIT: quit
# expect unordered: goroutine 1 [sleep]: main at states.csp:16:6
# expect unordered: goroutine N [chan receive]: waits at states.csp:4:17 created at states.csp:8:9
# expect unordered: goroutine N [running]: spins at states.csp:5:23 created at states.csp:9:9
# expect unordered: goroutine N [blocking call os.read_file]: func@10 at states.csp:10:18 created at states.csp:10:4
# timeout: 60
# small: CSPDEBUG=
# (What the call may still touch is left to the process on purpose.)
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
cat > "$TMPDIR/states.csp" << 'END'
import "os"
import "sched"
import "strings"
func waits(c) { <-c }
func spins(n) { for { n++ } }
println("printed before")
states := ["[chan receive", "[running", " os.read_file", "goroutine 1 [sleep"]
go waits(chan())
go spins(0)
go { os.read_file(os.args[0] + "/fifo") }
func ready() {
  for s in states { for !strings.contains(sched.dump(), s) { sleep(1ms) } }
  os.write_file(os.args[0] + "/ready", "")
}
go ready()
sleep(1000s)
END
mkfifo "$TMPDIR/fifo"
"$CSPVM" --procs 3 "$TMPDIR/states.csp" "$TMPDIR" 2> "$TMPDIR/err" &
until [ -e "$TMPDIR/ready" ]; do sleep 0.01; done
kill -QUIT $!
wait $!
echo "status $?"
# An entry a line, without times and ids. A goroutine that is off its P just now
# runs, and a call that waits for a descriptor is one. (ready() may not have
# ended yet.)
sed "s|$TMPDIR/||; s/goroutine [1-9][0-9][0-9]* /goroutine N /
  s/goroutine [2-9] /goroutine N /; s/, [0-9]* s\\]/]/
  s/\\[runnable\\]/[running]/; s/\\[IO wait /[blocking call /" "$TMPDIR/err" |
  awk '/^$/ { if (n++) print line; line = ""; next }
    { sub(/^ +/, ""); line = line (line ? " " : "") $0
      if (/^SIGQUIT/) { print; line = "" } } END { print line }' |
  grep -v ' ready at '
