# The server is killed again and again while goroutines send transactions. It
# keeps what it did in a log, and reads that when it starts. A transaction that
# was told to be done is there, and of the others all or nothing. What fails has
# a code.
# needs: redis-server redis-check-aof
# timeout: 150
# small: SIZE=3
# Redis 7.0 leaves the head of a transaction in the log where it was killed in
# the middle of a write, and takes it for the head of the next one when it reads
# the log once more. So the log is cut after the last whole transaction.
cat > "$TMPDIR/server.sh" << 'END'
. tests/stdlib/redis/lib/server.sh
crash() {
  stop
  while grep -qs '^State:.[^ZX]' "/proc/$(cat "$redis_pid")/status"; do sleep 0.01; done
}
restart() {
  for log in "$TMPDIR"/appendonlydir/*.manifest; do
    [ ! -e "$log" ] || yes | redis-check-aof --fix "$log" > "$TMPDIR/fixed" 2>&1 || return 1
  done
  start --appendonly yes --appendfsync always
}
END
. "$TMPDIR/server.sh"
restart || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
import "sync"
func shell(command) {
  r := os.run("bash", ["-c", ". $TMPDIR/server.sh; ${command}"])?
  if r.status != 0 { return error("${command}: ${r.err}") }
}
const SIZE = int(os.env("SIZE", "100"))
const KEYS = 20
const GOROUTINES = 8
s := redis.open("unix:" + os.env("TMPDIR") + "/socket", connections: 2)?
done, failures, codes, ends := sync.counter(), sync.counter(), sync.mutex(), chan()
seen := {}
// The list "ids" has an id if the transaction was carried out, and each counter
// counts them.
func one_by_one(i) {
  told := []
  for n := 0; ; n++ {
    select {
    case <-ends: return told
    default:
    }
    id := "${i} ${n}"
    replies, err := s.transaction(func(t) {
      for k in KEYS { t.call("INCR", "counter ${k}") }
      t.call("RPUSH", "ids", id)
    })
    if err == nil {
      assert(len(replies) == KEYS + 1 && replies.all(func(r) => r is int), replies)
      told.push(id)
      done.add(1)
    } else {
      assert(replies == nil && err.code != nil, err)
      failures.add(1)
      codes.with(func() { seen[err.code] = true })
    }
  }
}
func wait(c, more) {
  n := c.get()
  for c.get() < n + more { sleep(1ms) }
}
tasks := []
for i in GOROUTINES { tasks.push(go one_by_one(i)) }
for _ in 3 {
  wait(done, SIZE)
  shell("crash")?
  wait(failures, GOROUTINES)
  shell("restart")?
  wait(done, SIZE)
}
close(ends)
told := []
for task in tasks { told.push((<-task)...) }

ids := s.call("LRANGE", "ids", 0, -1)?
kept := {}
for id in ids { kept[id] = true }
println(len(kept) == len(ids))                           // expect: true
println(len(told) >= 6 * SIZE, told.all(func(id) => id in kept))  // expect: true true
counts := {}
for k in KEYS { counts[s.call("GET", "counter ${k}")?] = true }
println((if len(counts) == 1 && str(len(ids)) in counts { true } else { (len(ids), len(told), counts) }))  // expect: true
// (While it reads its log, it refuses what a transaction begins with.)
for code in ["closed", "not_found", "refused", "LOADING", "EXECABORT"] { delete(seen, code) }
println(seen)                                            // expect: {}
s.close()
CSP
"$CSPVM" "$TMPDIR/script.csp"
