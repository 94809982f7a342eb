# A server whose listener is closed ends, while there is no memory at all: not
# even for the error that says so. It tried again for ever.
# timeout: 60
# small: CSPDEBUG=
# expect: net ends
# expect: http ends
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
is_http := os.args[0] == "http"
listener := net.listen("127.0.0.1:0")?
func serve() => if is_http {
  http.serve(listener, func(request) => "text")
} else {
  listener.serve(func(connection) { connection.read() })
}
ended := false
go {
  _ = try(serve)
  ended = true
}
func ask() {
  client := net.dial(listener.address())?
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?
  client.close()
}
ask()?
ballast := nil
func fill_with(size) { for { ballast = (ballast, bytes(size)) } }
sizes, pause := [50_000, 5000, 500, 50, 1], timer(1ms)
for i := 0; i < 100 && !ended; i++ {
  for size in sizes { _ = try(fill_with, size) }
  if i == 1 { listener.close() }
  <-pause
  pause.reset(20ms)
}
was_over := ended
ballast = nil
println(os.args[0], (if was_over { "ends" } else { "goes on" }))
END_OF_SCRIPT
"$CSPVM" --max-memory 6 script.csp net 2> /dev/null
"$CSPVM" --max-memory 6 script.csp http 2> /dev/null
