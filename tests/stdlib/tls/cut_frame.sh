# After a frame of a WebSocket that was not sent whole TLS does not say that all
# was, as after a write.
# expect: write: timeout
# expect: cancelled: told
# expect: write: timeout
# expect: late: told
# expect: write: nil
# expect: whole: nil
# procs: 1,2,8
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "time"
import "tls"
import "websocket"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
big := "x".repeat(30_000_000)

func code(err) => if err == nil { nil } else { err.code }

// Whether the client's reads end with an error, after f and a close by the
// server. It reads as soon as f is over.
func end_after(f) {
  reads := chan(1)
  reader := go func() {
    c, err := tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")
    if err != nil { return err.code }
    <-reads
    for {
      piece, err := c.read()
      if err != nil { return err.code }
      if piece == nil { return nil }
    }
  }()
  c, _ := listener.accept()
  print(tls.server(c, config) ?? "")
  headers := {host: "localhost", connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}
  ws, err := websocket.accept(c, {method: "GET", version: "HTTP/1.1", headers: headers}, ping: nil)
  if err != nil { return err }
  f(ws, c)
  reads <- true
  sleep(50ms)  // until a good-bye could be sent
  c.close()
  how := <-reader
  return if ["tls", "reset"].contains(how) { "told" } else { how }
}

println("cancelled:", end_after(func(ws, c) {
  _, err := time.limit(1s, func() { ws.write(big) })  // it has begun by then
  println("write:", code(err))
}))
println("late:", end_after(func(ws, c) {
  c.stall(20ms)
  println("write:", code(ws.write(big)))
}))
println("whole:", end_after(func(ws, c) { println("write:", ws.write("all of it")) }))
listener.close()
END
"$CSPVM" script.csp
