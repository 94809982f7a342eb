# A goroutine expands a message, and one waits for the peer's answer to a close
# frame. Where none can be had, the caller does it. The message was lost, and
# close() panicked.
# expect: read: 100000 nil
# expect: closed: nil, server: closed
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
import "zlib"
listener := net.listen("127.0.0.1:0")?
os.write_file("new", listener.address())?
os.rename("new", "address")?
http.serve(listener, func(request) {
  ws := request.websocket(compress: true)?
  ws.write("x".repeat(100_000))?
  message, _ := ws.read()
  os.write_file("told", (if message == nil { "closed" } else { message }))?
  os.rename("told", "ended")?
})?
END_OF_SCRIPT
cat > script.csp << 'END_OF_SCRIPT'
import "os"
import "websocket"
import "zlib"
ws := websocket.dial("ws://${os.read_file("address")?}/", compress: true)?
free := chan()
func take_all() { for { go { <-free } } }
_ = try(take_all)
func read() => ws.read()
message, err := try(read)
println("read:", len(message ?? ""), err)
_, err = try(func() { ws.close() })
for !os.exists("ended") { sleep(1ms) }
println("closed: ${err}, server: ${os.read_file("ended")?}")
END_OF_SCRIPT
"$CSPVM" server.csp & server=$!
disown
trap 'kill $server' EXIT
until [ -s address ]; do sleep 0.01; done
"$CSPVM" --max-goroutines 8 script.csp
