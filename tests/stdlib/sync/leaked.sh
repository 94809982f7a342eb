# Reports of leaks tell who waits for a read-write mutex, to do what.
# expect: leaked: [rwmutex read, held by goroutine]:
# expect: leaked: [rwmutex write, held by goroutine]:
# expect: leaked: [rwmutex write, held by readers]:
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
import "sched"
import "sync"
func leak_rwmutex() {
  m := sync.rwmutex()
  m.lock()
  go { m.read_lock() }
  go { m.lock() }
}
func leak_readers() {
  m := sync.rwmutex()
  m.read_lock()
  go { m.lock() }
}
// What the calls before have left in registers goes.
func wipe(a, b, c, d, e, f, g, h, i, j) => a
leak_rwmutex()
leak_readers()
for _ in 20 {
  sleep(1ms)
  wipe(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
  sched.gc()
}
EOF
CSPDEBUG=leaks=1 "$CSPVM" a.csp 2>&1 |
  sed -n 's/goroutine [0-9]* \[/[/; s/goroutine [0-9]*\]/goroutine]/; /^leaked/p' | LC_ALL=C sort
