# The client is closed while calls of store.alone wait for the server. They
# waited for ever, as nobody knew their connections.
# needs: redis-server
# timeout: 60
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
s := redis.open("unix:" + os.env("TMPDIR") + "/socket", pool: 2, timeout: nil)?
other := redis.open("unix:" + os.env("TMPDIR") + "/socket")?
waiting := [1, 2].map(func(i) => go s.alone(func(own) => own.call("BLPOP", "jobs", 0)))
func blocked() {
  clients, _ := other.call("CLIENT", "LIST")
  return len(clients.split("cmd=blpop")) - 1
}
for blocked() < 2 { sleep(1ms) }
late := go s.alone(func(own) => own.call("PING"))   // there is no place for it
s.close()
for job in waiting + [late] {
  _, err := <-job
  println(err.code)
}
// expect: closed
// expect: closed
// expect: closed
for blocked() > 0 { sleep(1ms) }
_, err := s.alone(func(own) => own.call("PING"))
println(err.code)                            // expect: closed
println(other.alone(func(own) => own.call("PING")))   // expect: PONG nil
other.close()
CSP
"$CSPVM" "$TMPDIR/script.csp"
