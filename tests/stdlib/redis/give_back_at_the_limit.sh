# A call of store.alone is cancelled, its time of grace is over, and there is
# no room for a goroutine that ends its connection. That stayed open until the
# store was closed, and each such call left another one.
# expect: deadline exceeded
# expect: all ended: true
# expect: PONG nil
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "redis"
import "sched"
import "sync"
made, ended := sync.counter(), sync.counter()
func serve(c) {
  made.add(1)
  for {
    count := c.read_line()?
    if count == nil { return nil }
    words := []
    for _ in int(count[1:]) {
      c.read_line()?
      words.push(c.read_line()?)
    }
    c.write((if words[0] == "HELLO" { "%0\r\n" } else { "+PONG\r\n" }))?
  }
}
listener := net.listen("127.0.0.1:0")?
serving := go listener.serve(func(c) {
  _ = serve(c)
  ended.add(1)
})
s := redis.open(listener.address(), pool: 1)?
free := chan()
func take_all() { for { sched.background(func() { <-free }) } }
_, err := try(func() {
  group g {
    g.grace(10ms)
    go s.alone(func(own) {
      defer sleep(1h)
      assert(own.call("PING")? == "PONG")
      _ = try(take_all)
      g.timeout(10ms)
      sleep(1h)
    })
  }
})
println(err)
close(free)
for i := 0; i < 2000 && ended.get() < 1; i++ { sleep(5ms) }
println("all ended:", ended.get() == made.get() - 1)
println(s.alone(func(own) => own.call("PING")))
s.close()
listener.close()
<-serving
END
"$CSPVM" --max-goroutines 40 "$TMPDIR/a.csp"
