# What OpenSSL holds for a connection is in the limit of memory, which knew
# nothing of it. Now a connection for which there is no room is closed, and the
# server goes on.
# timeout: 60
# small: CSPDEBUG=
# expect: opened: some
# expect: later: hello
. tests/stdlib/tls/lib/certs.sh
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "tls"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
http.serve(listener, func(request) => "hello", tls: tls.config("server.pem", "server.key")?)
END_OF_SCRIPT
cat > client.csp << 'END_OF_SCRIPT'
import "os"
import "tls"
address, opened := os.args[0], []
func open() {
  c, err := tls.dial(address, server_name: "localhost", roots: "root.pem", timeout: 5s)
  if err != nil { return nil, err }
  _ = c.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
  _, err = c.read_until("\r\n\r\n")
  if err != nil { return nil, err }
  return c, nil
}
for _ in 500 {
  c, err := open()
  if err == nil { opened.push(c) }
}
// 16 MB have no room for 500.
println("opened:", (if len(opened) in 100..450 { "some" } else { len(opened) }))
for c in opened { c.close() }
sleep(100ms)
c := open()?
println("later:", c.read()?)
END_OF_SCRIPT
"$CSPVM" --max-memory 16 server.csp > at 2> told &
server=$!
while [ ! -s at ]; do sleep 0.01; done
"$CSPVM" client.csp "$(cat at)"  > out
kill "$server"
cat out
