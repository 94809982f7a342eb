# A connection is lost, and no goroutine can be had that dials again: that is an
# error with a code. The call, and all after it, waited for a dial that nobody
# made.
# needs: redis-server
# expect: limit
# expect: limit
# expect: PONG
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "redis"
import "time"
store := redis.open("unix:${os.env("TMPDIR")}/socket", connections: 1)?
ping := func() => time.limit(5s, func() => store.call("PING"))
id := store.call("CLIENT", "ID")?
other := redis.open("unix:${os.env("TMPDIR")}/socket", connections: 1)?
free, held := chan(), []
func take_all() { for { held.push(go { <-free }) } }
_ = try(take_all)
other.call("CLIENT", "KILL", "ID", id)?
sleep(100ms)
_ = try(take_all)
for _ in 2 {
  _, err := try(ping)
  println(err.code)
}
close(free)
for task in held { <-task }
println(ping()?)
END
"$CSPVM" --max-goroutines 20 "$TMPDIR/a.csp"
