# Messages of channels and patterns come in order, also where there is no room.
# needs: redis-server
# timeout: 200
# small: SIZE=1
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
import "sched"
import "time"
const SIZE = int(os.env("SIZE") ?? "50")
s := redis.open("unix:" + os.env("TMPDIR") + "/socket", timeout: 200ms)?
first := s.subscribe("a")?
println(first.reconnects(), type(first))                     // expect: 0 Subscription
both := s.subscribe(["a", "b"], patterns: ["x*"], room: 1)?
only := s.subscribe([], "x?")?
println(s.call("PUBLISH", "a", "one")?, s.call("PUBLISH", "xy", bytes([0, 255, 10]))?)   // expect: 2 2
m := <-first.messages
println(m.channel, m.text, m.pattern, m is redis.Message)    // expect: a one nil true
m = <-both.messages
println(m)                                                   // expect: Message(channel: "a", text: "one", pattern: nil)
m = <-both.messages
println(m.channel, m.pattern, m.text == "\x00\xff\n")        // expect: xy x* true
println((<-only.messages).pattern)                           // expect: x?
only.close()
only.close()
for m in only.messages { println(m) }
for s.call("PUBSUB", "NUMPAT")? > 1 { sleep(1ms) }

group {
  go {
    for i in SIZE { s.pipeline(func(p) { for k in 100 { p.call("PUBLISH", "b", i * 100 + k) } })? }
  }
  next := 0
  for next < SIZE * 100 {
    m := <-both.messages
    if m.text != str(next) { println("wanted", next, m) }
    next++
  }
  println(next == SIZE * 100)                                // expect: true
}
// While nothing comes it asks whether the server is there.
sleep(1s)
println(s.call("PUBLISH", "a", "two")?, (<-first.messages).text, first.reconnects())   // expect: 2 two 0
group g {
  go {
    sleep(10ms)
    s.close()
  }
  for m in first.messages { println(m) }
}
println((<-both.messages).text, <-both.messages)             // expect: two nil
for sched.goroutines() > 1 { sleep(1ms) }
CSP
"$CSPVM" "$TMPDIR/script.csp"
