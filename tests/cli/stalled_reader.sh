# Sleepers wake while the output waits for a reader that does not read. (It did
# so only by threads in the pool: whoever went idle waited for the reader.)
# expect: woken: 20
# timeout: 60
# small: SIZE=100
# (It may end in the midst of a write, which keeps its memory.)
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
mkfifo "$TMPDIR/pipe"
exec 3<> "$TMPDIR/pipe"
dd if=/dev/zero of="$TMPDIR/pipe" oflag=nonblock 2> "$TMPDIR/full"
"$CSPVM" --procs 2 -e 'import "os"
import "sched"
import "strings"
line := strings.repeat("x", 1000)
go { for i in 0..'${SIZE:-1000}' { println(line) } }
go { for i in 0..20 { sleep(5ms); print("y") } } // something to be written
for !strings.contains(sched.dump(), "[blocking call println") { sched.yield() }
for i in 0..20 {
  sleep(5ms)
  os.write_file(os.env("TMPDIR") + "/woken", str(i + 1))
}' > "$TMPDIR/pipe" &
for i in $(seq 300); do
  [ "$(cat "$TMPDIR/woken" 2>/dev/null)" = 20 ] && break
  sleep 0.1
done
echo "woken: $(cat "$TMPDIR/woken")"
cat <&3 > "$TMPDIR/read" &
wait %1
kill %2
