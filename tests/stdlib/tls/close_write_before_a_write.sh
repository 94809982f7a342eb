# With TLS close_write tells of a write that has not begun: it said that one was
# not sent whole, though that was sent after it.
# expect: first: nil
# expect: close_write: another write has not begun, and TLS must not tell the other side before it that all was sent: call close_write after it, or close the connection
# expect: later: nil
# expect: again: nil
# expect: read: 30000004 bytes, and a clean end
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
big := "x".repeat(30_000_000)

// Reads all when it may.
func read_all(may) {
  c := listener.accept()?
  err := tls.server(c, config)
  if err != nil { return nil, err }
  <-may
  sum := 0
  for piece := c.read()?; piece != nil; {
    sum += len(piece)
    piece = c.read()?
  }
  return sum, nil
}

func try_it() {
  may := chan()
  reader := go read_all(may)
  c := tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")?
  first := go c.write(big)
  sleep(1ms)
  end := go c.close_write()
  sleep(1ms)
  later := go c.write("more")
  sleep(1ms)
  close(may)
  failed := <-end
  if failed == nil {  // it came before the first write, or after the last one
    c.reset()
    return false, nil
  }
  println("first:", <-first)
  println("close_write:", failed.message.split(": ")[1:].join(": "))
  println("later:", <-later)
  println("again:", c.close_write())
  println("read: ${(<-reader)?} bytes, and a clean end")
  return true, nil
}

for !try_it()? { }
END
"$CSPVM" script.csp
