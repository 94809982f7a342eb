# After a frame of a WebSocket that was not sent whole TLS does not say that all
# was, as after a write.
# expect: write: timeout
# expect: cancelled: told
# expect: write: timeout
# expect: late: told
# expect: write: nil
# expect: whole: nil
# procs: 1,2,8
. tests/stdlib/tls/lib/cut.sh
cat > script.csp << 'END'
import "time"
import "websocket"
import "./cut"

func end_after(f) => cut.end_after(cut.client, cut.server, func(c, let) {
  headers := {host: "localhost", connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}
  ws, err := websocket.accept(c, {method: "GET", version: "HTTP/1.1", headers: headers}, ping: nil)
  if err != nil { panic(err) }
  f(ws, c)
})

println("cancelled:", end_after(func(ws, c) {
  _, err := time.limit(1s, func() { ws.write(cut.big) })  // it has begun by then
  println("write:", cut.code(err))
}))
println("late:", end_after(func(ws, c) {
  c.stall(20ms)
  println("write:", cut.code(ws.write(cut.big)))
}))
println("whole:", end_after(func(ws, c) { println("write:", ws.write("all of it")) }))
cut.listener.close()
END
"$CSPVM" script.csp
