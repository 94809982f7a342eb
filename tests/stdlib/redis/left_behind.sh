# Goroutines use a pipeline after its function has returned, while it is sent.
# Once the number of replies that it waited for was another than that of its
# commands then, and goroutines got the replies of others.
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
const SIZE = int(os.env("SIZE", "100"))
s := redis.open("unix:" + os.env("TMPDIR") + "/socket")?
wrong, left, ends := sync.counter(), nil, chan()
group {
  for _ in 4 {
    go {
      for is_over := false; !is_over; {
        p := left
        _, _ = try(func() { p.call("ECHO", "late") })
        sleep(20us)
        select {
        case <-ends: is_over = true
        default:
        }
      }
    }
  }
  go {
    for i in SIZE {
      replies := s.pipeline(func(p) {
        for k in 20 { p.call("ECHO", k) }
        left = p
      })?
      for k in 20 { if replies[k] != str(k) { wrong.add(1) } }
      if s.call("ECHO", "own ${i}")? != "own ${i}" { wrong.add(1) }
      done := s.transaction(func(p) {
        p.call("ECHO", "in ${i}")
        left = p
      })?
      if done[0] != "in ${i}" { wrong.add(1) }
    }
    close(ends)
    return nil
  }
}
println(wrong.get())
_, err := try(func() { left.call("ECHO", "late") })
println(err)
s.alone(func(own) {
  for name in ["MULTI", "REPLCONF"] {
    _, err := try(func() { own.call(name) })
    println(err)
  }
})
_, err = try(func() { s.call("XREAD", bytes("block"), 0, "STREAMS", "none", "$") })
println(err)
CSP
"$CSPVM" --procs 8 "$TMPDIR/script.csp"
# expect: 0
# expect: pipeline.call: the pipeline was sent already
# expect: store.call: MULTI would change the connection: use store.transaction
# expect: store.call: REPLCONF would change the connection: use net
# expect: store.call: XREAD needs a connection of its own: use store.alone
