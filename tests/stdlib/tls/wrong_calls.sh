# What is called too late or twice gives an error, and the connection goes on:
# a write after close_write, and a second handshake.
# needs: openssl
# expect: write: broken_pipe
# expect: close_write: nil
# expect: read: 100000 nil
# expect: twice: tls
# expect: goes on: hello
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  tls.server(c, config)?
  text := c.read_line()?
  if text == "end" { c.read()? }
  if text == "end" { text = "x".repeat(100_000) }
  c.write(text)?
})
c := tls.dial(listener.address(), roots: "root.pem")?
c.write("end\n")?
c.close_write()?
println("write:", c.write("more").code)
println("close_write:", c.close_write())
total, err := 0, nil
for err == nil {
  piece := nil
  piece, err = c.read()
  if piece == nil { break }
  total += len(piece)
}
println("read:", total, err)
c = tls.dial(listener.address(), roots: "root.pem")?
println("twice:", tls.client(c, "localhost", roots: "root.pem").code)
c.write("hello\n")?
println("goes on:", c.read()?)
listener.close()
END
"$CSPVM" script.csp
