# Memory is out for a client. The goroutine that closes kept connections, and
# the one that sends a long body, panicked, and that ended the program.
# timeout: 100
# small: CSPDEBUG=
# expect: all have ended
# expect: later: 100000
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
listener := net.listen("127.0.0.1:0")?
go { _ = http.serve(listener, func(request) => str(len(request.bytes()?))) }
ballast, sizes := nil, [50_000, 5000, 500, 50, 1]
func fill_with(size) { for { ballast = (ballast, bytes(size)) } }
body, url := "x".repeat(100_000), "http://${listener.address()}/"
func post() { http.post(url, body, head_time: 2s)?.text()? }
post()
for round in 300 {
  spare := nil
  for _ in round { spare = (spare, bytes(1000)) }
  for size in sizes { _ = try(fill_with, size) }
  spare = nil
  _ = try(post)
  ballast = nil
}
println("all have ended")
http.close_idle()  // the server may have ended what was kept, and a POST is sent once
println("later:", http.post(url, body)?.text()?)
END_OF_SCRIPT
"$CSPVM" --max-memory 6 script.csp 2> told
grep -A9 '^panic' told
exit 0
