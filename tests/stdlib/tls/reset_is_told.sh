# A reset is told as one where the system has told it to a write already, and it
# stays. What had come before can still be read.
# expect: write: true
# expect: read: reset reset
# expect: write: reset
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
go {
  c, _ := listener.accept()
  if tls.server(c, config) == nil {
    c.write("a part")
    c.read(1)
    c.reset()
  }
}
c := tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")?
c.read()?
c.write("x")?
code := nil
for code == nil {
  err := c.write("x")
  if err != nil { code = err.code } else { sleep(1ms) }
}
println("write:", code in ["reset", "broken_pipe"])
_, err := c.read()
_, again := c.read_line()
println("read:", err.code, again.code)
println("write:", c.write("x").code)
listener.close()
END
"$CSPVM" script.csp
