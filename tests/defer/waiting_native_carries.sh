# A deferred native is cancelled while it waits, or while it works: the error
# with which the function was leaving goes along.
# expect: sleep: deadline exceeded, first
# expect: lock: deadline exceeded, first
# expect: select: deadline exceeded, first
# expect: accept: deadline exceeded, first
# expect: run: deadline exceeded, first
# expect: sort: deadline exceeded, first
# expect: given by a call: deadline exceeded, first
# expect: nothing to carry: deadline exceeded
# expect: before the return: deadline exceeded
# timeout: 60
cd "$TMPDIR" || exit
leaves() {  # name, deferred call, the rest of the body
  cat > script.csp << END
import "net"
import "os"
import "sched"
import "sync"
lock := sync.semaphore(1)
lock.acquire()
port := net.listen("127.0.0.1:0")?
xs := list(0..1_000_000)
func gives(n) { return n, error("first") }
func fine() { return nil }
func returns_often(n) {
  defer sleep(0s)
  if n == 0 { return error("not this") }
  return nil
}
// The deadline comes once the function leaves, or waits before that.
begun := chan(1)
func begins() { begun <- true }
func leaves() {
  for n in 3 { _ = returns_often(n) }
  defer $2
  defer begins()
  $3
}
group g {
  g.grace(10ms)
  g.patience(10ms)
  go {
    <-begun
    sleep(10ms)
    g.timeout(1ms)
  }
  leaves()
}
END
  "$CSPVM" script.csp 2>&1 | awk -v name="$1" '
    /^panic/ { text = substr($0, 8) }
    /^  also/ { text = text ", " substr($0, 9) }
    END { print name ": " text }'
}
first='return error("first")'
leaves sleep 'sleep(1h)' "$first"
leaves lock 'lock.acquire()' "$first"
leaves select 'sched.select([[chan()]])' "return 1, error(\"first\")"
leaves accept 'port.accept()' "$first"
leaves run 'os.run("sleep", ["100"])' "$first"
leaves sort 'xs.sort_by(func(x) { for { } })' "$first"
leaves 'given by a call' 'sleep(1h)' 'return gives(1)'
leaves 'nothing to carry' 'sleep(1h)' 'return nil'
leaves 'before the return' 'fine()' 'err := error("not this"); begins(); sleep(1h); return err'
