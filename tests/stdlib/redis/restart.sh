# The server is killed and started again while 50 goroutines ask. Calls fail
# with a code, nothing is out of step, and later calls find the new server.
# needs: redis-server
# timeout: 150
# small: SIZE=10
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
import "sync"
func shell(command) {
  r := os.run("bash", ["-c", ". tests/stdlib/redis/lib/server.sh; ${command}"])?
  if r.status != 0 { return error("${command}: ${r.err}") }
}
const SIZE = int(os.env("SIZE") ?? "1000")
address := "unix:" + os.env("TMPDIR") + "/socket"
s := redis.open(address, connections: 2)?
subscription := s.subscribe("news")?
failures, codes, good, wrong := sync.counter(), sync.mutex(), sync.counter(), sync.counter()
seen, ends := {}, chan()
func ask(i) {
  for n := 0; ; n++ {
    select {
    case <-ends: return
    default:
    }
    text := "${i} ${n}"
    reply, err := s.call("ECHO", text)
    if err == nil {
      good.add(1)
      if reply != text { wrong.add(1) }
    } else {
      failures.add(1)
      codes.with(func() { seen[err.code] = true })
    }
  }
}
func wait(c, more) {
  n := c.get()
  for c.get() < n + more { sleep(1ms) }
}
group {
  for i in min(50, SIZE) { go ask(i) }
  for _ in 3 {
    wait(good, SIZE)
    shell("stop")?
    wait(failures, SIZE / 10)
    shell("start")?
    wait(good, SIZE)
    for s.call("PUBLISH", "news", "again")? == 0 { sleep(1ms) }
    <-subscription.messages
  }
  close(ends)
}
println(wrong.get(), subscription.reconnects())          // expect: 0 3
for code in ["closed", "not_found", "refused"] { delete(seen, code) }
println(seen)                                            // expect: {}

// What waits for an answer when the server dies, gets an error. The next call
// dials anew. In between calls fail, and do not turn.
waiting := go s.alone(func(own) => own.call("BLPOP", "none", 0), timeout: 0)
for !s.call("INFO", "clients")?.contains("blocked_clients:1") { sleep(1ms) }
shell("stop")?
_, err := <-waiting
println(err.code, err.cause != nil)                      // expect: closed true
_, err = s.call("PING")
// The end of each of the two connections may not have been noticed yet.
for _ in 2 { if err.code == "closed" { _, err = s.call("PING") } }
println(err.code)                                        // expect: not_found
_, err = s.alone(func(own) => own.call("PING"))
println(err.code)                                        // expect: not_found
_, err = redis.open(address)
println(err.code)                                        // expect: not_found
tries := 0
group {
  go {
    sleep(300ms)
    shell("start")?
  }
  for {
    tries++
    _, err := s.call("PING")
    if err == nil { break }
  }
}
println(tries < 100, s.alone(func(own) => own.call("PING"))?)   // expect: true PONG
subscription.close()
println(<-subscription.messages)                         // expect: nil
s.close()
CSP
"$CSPVM" "$TMPDIR/script.csp"
