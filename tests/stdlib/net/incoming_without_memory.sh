# Memory is out for the goroutine that fills the channel of incoming(). Its
# panic ended the program. The channel gives that error now, and is closed.
# timeout: 60
# small: CSPDEBUG=
# expect: memory
# expect: all have ended
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "net"
listener := net.listen("127.0.0.1:0")?
ballast, sizes := nil, [50_000, 5000, 500, 50, 1]
func fill_with(size) { for { ballast = (ballast, bytes(size)) } }
text, codes := "x".repeat(60_000), {}
for round in 100 {
  client := net.dial(listener.address())?
  server := listener.accept()?
  incoming := client.incoming()
  server.write("x")?
  <-incoming
  spare := nil
  for _ in round { spare = (spare, bytes(1000)) }
  for size in sizes { _ = try(fill_with, size) }
  spare = nil
  failed := nil
  _ = try(server.write, text)
  server.close()
  for piece in incoming { if piece is error { failed = piece } }
  ballast = nil
  if failed != nil { codes[failed.code] = true }
  client.close()
}
for code in codes { println(code) }
println("all have ended")
END_OF_SCRIPT
"$CSPVM" --max-memory 4 script.csp
