# A transaction's time of grace was over, and no goroutine was to be had to end
# its connection. That stayed open until the pool was closed. Now it ends when
# the pool connects the next time.
# timeout: 60
# expect: too many goroutines: the limit is 40
# expect: 0 nil
# expect: 2 1
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "postgres"
import "sched"
import "sync"
import "time"

func message(kind, body = "") => kind + bytes(4).set_int(0, 4, len(body) + 4, "big").to_string() + body
made, ended := sync.counter(), sync.counter()

func serve(c) {
  size := c.read_exact(4)?.bytes().get_uint(0, 4, "big")
  body := c.read_exact(size - 4)?
  if body[:4] == "\x04\xd2\x16\x2e" { return nil }
  made.add(1)
  c.write(message("R", "\x00".repeat(4)) + message("Z", "I"))?
  for {
    head := c.read_exact(5)?.bytes()
    text := c.read_exact(head.get_uint(1, 4, "big") - 4)?
    state := if text.has_prefix("begin") { "T" } else { "I" }
    c.write(message("C", "SET\x00") + message("Z", state))?
  }
}
listener := net.listen("127.0.0.1:0")?
go {
  _ = listener.serve(func(c) {
    _ = try(serve, c)
    ended.add(1)
  })
}
port := listener.address().split(":")[1]
db := postgres.open("postgresql://ada@127.0.0.1:${port}/x?sslmode=disable", most: 1)?
free, failed := chan(), nil
func wait() { <-free }
// Waits for nothing, until the time of grace is over. What it begins is not of
// the group, which would end it then.
func fill() {
  for until := time.monotonic() + 100ms; time.monotonic() < until; {
    _, failed = try(func() { for { sched.background(wait) } })
  }
}
group g {
  g.grace(10ms)
  g.patience(10s)
  go db.transaction(func(work) {
    defer fill()
    g.cancel()
    sleep(1h)
  })
}
println(failed)
close(free)
for sched.goroutines() > 20 { sleep(1ms) }
println(db.exec("select 1"))
for ended.get() == 0 { sleep(1ms) }
println(made.get(), len(db._places.live))
db.close()
END
"$CSPVM" --max-goroutines 40 "$TMPDIR/a.csp"
