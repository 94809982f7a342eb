# 500 goroutines at once, and 10,000 calls that are cancelled: each reply goes
# to the goroutine that asked, and nothing is left over.
# needs: redis-server
# timeout: 200
# small: SIZE=5
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
import "sched"
import "sync"
import "time"
const SIZE = int(os.env("SIZE") ?? "500")
s := redis.open("unix:" + os.env("TMPDIR") + "/socket", connections: 2)?
wrong := sync.counter()
func set_and_get(i) {
  for n in 20 {
    s.call("SET", "k${i}", "${i} ${n}")?
    if s.call("GET", "k${i}")? != "${i} ${n}" { wrong.add(1) }
    both := s.pipeline(func(p) {
      p.call("ECHO", i)
      p.call("ECHO", n)
    })?
    if !equal(both, [str(i), str(n)]) { wrong.add(1) }
  }
}
group { for i in SIZE { go set_and_get(i) } }
println(wrong.get(), s.call("DBSIZE")? == SIZE)              // expect: 0 true

descriptors := func() => len(os.list_dir("/proc/self/fd")?)
s.alone(func(own) => own.call("PING"))?
goroutines, before := sched.goroutines(), descriptors()?
cancelled, answered := sync.counter(), sync.counter()
storm := func(i) {
  _, err := try(func() {
    group g {
      if i % 3 == 0 { g.timeout(1 + i % 500 * 1us) }
      if i % 3 != 0 { go { g.cancel() } }
      reply, err := s.call("ECHO", i)
      if err != nil { panic(err) }
      if reply != str(i) { wrong.add(1) }
      answered.add(1)
    }
  })
}
for round in 20 {
  tasks := []
  for i in SIZE { tasks.push(go storm(round * SIZE + i)) }
  for t in tasks { <-t }
}
println(wrong.get(), answered.get() < 20 * SIZE)              // expect: 0 true
for i in 2 * SIZE { if s.call("ECHO", i)? != str(i) { wrong.add(1) } }
println(wrong.get())                                         // expect: 0
println(sched.goroutines() - goroutines, descriptors()? - before)   // expect: 0 0

// A connection whose user was cancelled is given up, and its place is free.
for i in SIZE / 5 {
  _, err := time.limit(1ms, func() => s.alone(func(own) => own.call("BLPOP", "none", 0), timeout: 0))
  if err.code != "timeout" { println(err) }
}
println(s.alone(func(own) => own.call("ECHO", "in step"))?)  // expect: in step
for sched.goroutines() > goroutines || descriptors()? > before { sleep(1ms) }

// An answer that takes too long ends the connection, and only that.
slow := redis.open("unix:" + os.env("TMPDIR") + "/socket", timeout: 100ms)?
sleep(250ms)
println(slow.call("PING")?)                                  // expect: PONG
_, err := slow.call("DEBUG", "SLEEP", 0.5)
println(err.code)                                            // expect: timeout
sleep(500ms)
println(slow.call("PING")?)                                  // expect: PONG
println(slow.alone(func(own) => own.call("DEBUG", "SLEEP", 0.3), timeout: 5s)?)   // expect: OK
slow.close()
s.close()
for sched.goroutines() > 1 { sleep(1ms) }
println("nothing is left")                                   // expect: nothing is left
CSP
"$CSPVM" "$TMPDIR/script.csp"
