# A reset is told as one where the system has told it to a write already, and it
# stays. What had come before can still be read.
# expect: write: true
# expect: read: reset reset
# expect: write: reset
# expect: cut: timeout reset reset
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "time"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
resets := chan(1)
go {
  for _ in 2 {
    c, _ := listener.accept()
    if tls.server(c, config) == nil {
      c.write("a part")
      c.read_exact(<-resets)
      c.reset()
    }
  }
}
c := tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")?
c.read()?
c.write("x")?
resets <- 1
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

// It is told after a write that was cut, too.
c = tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")?
big := "x".repeat(10_000_000)
writer := go c.write(big)
sleep(5ms)
_, late := time.limit(20ms, func() { c.write("more") })
resets <- len(big)
<-writer
err = nil
for err == nil { _, err = c.read() }
println("cut:", late.code, err.code, c.close_write().code)
listener.close()
END
"$CSPVM" script.csp
