# After a frame of a WebSocket that was not sent whole TLS does not say that all
# was, as after a write.
# expect: cancelled: told
# expect: write: timeout
# expect: late: told
# expect: write: nil
# expect: whole: nil
# procs: 1,2,8
. tests/stdlib/tls/lib/cut.sh
cat > script.csp << 'END'
import "websocket"
import "./cut"

func end_after(f) => cut.end_after(cut.client, cut.server, func(c, let, begun) {
  headers := {host: "localhost", connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}
  ws, err := websocket.accept(c, {method: "GET", version: "HTTP/1.1", headers: headers}, ping: nil)
  if err != nil { panic(err) }
  f(ws, c, begun)
})

println("cancelled:", end_after(func(ws, c, begun) {
  group g {
    go {
      <-begun
      g.cancel()
    }
    ws.write(cut.big)
  }
}))
println("late:", end_after(func(ws, c, begun) {
  c.stall(20ms)
  println("write:", cut.code(ws.write(cut.big)))
}))
println("whole:", end_after(func(ws, c, begun) { println("write:", ws.write("all of it")) }))
cut.listener.close()
END
"$CSPVM" script.csp
