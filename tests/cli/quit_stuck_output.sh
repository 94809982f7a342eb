# SIGQUIT ends a program whose output nobody reads, too.
# expect: SIGQUIT: quit
# expect: goroutine 1 is shown
# expect: status 2
# timeout: 60
# (The forced end leaves threads and memory.)
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:report_thread_leaks=0"
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
mkfifo "$TMPDIR/pipe"
exec 3<> "$TMPDIR/pipe"
dd if=/dev/zero of="$TMPDIR/pipe" oflag=nonblock 2> "$TMPDIR/full"
"$CSPVM" -e 'import "sched"
import "os"
import "strings"
go {
  for !strings.contains(sched.dump(), "[blocking call println") { sched.yield() }
  os.write_file(os.args[0] + "/ready", "")
}
for { println("nobody reads this") }' "$TMPDIR" > "$TMPDIR/pipe" 2> "$TMPDIR/err" &
until [ -e "$TMPDIR/ready" ]; do sleep 0.01; done
kill -QUIT $!
wait $!
status=$?
# An M without work may have taken the buffer before println's call could, and
# is stuck with it: then goroutine 1 may run until the next buffer is full.
sed -n '1p; s/^goroutine 1 \[.*/goroutine 1 is shown/p' "$TMPDIR/err"
echo "status $status"
