# Where no descriptor is left, connections that nothing holds are collected. If
# there are none, connecting and looking up fail, and accepting waits without
# turning.
# expect: connected 300
# expect: limit limit limit
# expect: accepted true
cd "$TMPDIR" || exit 1
cat > collected.csp << 'END'
import "net"
listener := net.listen("127.0.0.1:0")?
n := 0
for _ in 300 {
  net.dial(listener.address())?
  listener.accept()?
  n++
}
println("connected", n)
END
cat > waits.csp << 'END'
import "net"
import "os"
import "sched"
listener := net.listen("unix:socket")?
held := []
for {
  file, err := os.open("/dev/null")
  if err != nil { break }
  held.push(file)
}
_, err := net.dial("unix:socket")
_, other := net.listen("127.0.0.1:0")
_, of_name := net.lookup("localhost")
println(err.code, other.code, of_name.code)
held.pop().close()
client := net.dial("unix:socket")?
accepted := chan(1)
go { accepted <- listener.accept()? }
sleep(100ms)
before := sched.stats().polls
sleep(100ms)
quiet := sched.stats().polls - before < 100 && len(accepted) == 0
held.pop().close()
connection := <-accepted
connection.write("x")?
client.read()?
println("accepted", quiet)
END
ulimit -n 40
"$CSPVM" collected.csp
"$CSPVM" waits.csp
