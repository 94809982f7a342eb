# Where no descriptor is left, a server waits without turning, and goes on when
# there is one.
# expect: waits true
# expect: answers 200
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
import "sched"
listener := net.listen("unix:socket")?
go http.serve(listener, func(r) => "text")
held := []
client := net.dial("unix:socket")?
client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?
client.read_until("text")?
for {
  file, err := os.open("/dev/null")
  if err != nil { break }
  held.push(file)
}
held.pop().close()
late := net.dial("unix:socket")?
late.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?
sleep(100ms)
before := sched.stats().polls
sleep(100ms)
println("waits", sched.stats().polls - before < 100)
held.pop().close()
println("answers", late.read_until("\r\n")?.split(" ")[1])
END_OF_SCRIPT
ulimit -n 40
"$CSPVM" script.csp
