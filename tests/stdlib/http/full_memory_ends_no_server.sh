# Clients that take all of the memory there may be did end a server: the
# goroutine of a connection for which there was none told of its end by a
# select, which needs memory, too.
# timeout: 60
# small: CSPDEBUG=
# expect: HTTP/1.1 200 OK
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
http.serve(listener, func(r) {
  if r.path != "/now" { <-r.ended() }
  return "hello"
})
END_OF_SCRIPT
cat > client.csp << 'END_OF_SCRIPT'
import "net"
import "os"
address := os.args[0]
clients := []
for _ in 1400 {
  c, err := net.dial(address)
  if err != nil { break }
  _ = c.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
  clients.push(c)
}
for c in clients { c.close() }
for {
  c := net.dial(address)?
  _ = c.write("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
  line, err := c.read_line()
  if err == nil && line != nil {
    println(line)
    break
  }
}
END_OF_SCRIPT
"$CSPVM" --max-memory 5 server.csp > at 2> told &
server=$!
while [ ! -s at ]; do sleep 0.01; done
"$CSPVM" client.csp "$(cat at)"
kill "$server"
