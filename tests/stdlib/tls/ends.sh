# How a connection ends: each side for itself, without saying so in TLS, in the
# middle of a line, and after the other side has gone.
# expect: half: all of it: 100000 nil
# expect: cut: read tls cannot read from PEER: the other side ended the connection without saying so in TLS (close_notify), so data may be missing
# expect: cut: read_line tls
# expect: cut: read_exact tls
# expect: cut: incoming 2 tls
# expect: said: some nil nil
# expect: said: read_exact closed
# expect: garbage: tls what the other side sent is no TLS
# expect: nothing: tls the other side ended the connection during the handshake
# expect: gone: broken_pipe closed closed
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "os"
import "tls"
config := tls.config("server.pem", "server.key")?

// Two ends, of which `first` has the server's.
func pair(first, timeout = 10s) {
  listener, _ := net.listen("127.0.0.1:0")
  go {
    c, _ := listener.accept()
    listener.close()
    err := tls.server(c, config, timeout)
    if err == nil { first(c) } else { c.close() }
  }
  return tls.dial(listener.address(), roots: "root.pem")
}

c := pair(func(c) {
  text := ""
  for piece in c.incoming() { text += piece }
  c.write(text)
  c.close_write()
})?
c.write("x".repeat(100_000))?
c.close_write()?
total, last := 0, c.read()?
for last != nil {
  total += len(last)
  last = c.read()?
}
println("half: all of it:", total, last)

port := os.read_line()?
func next() {
  c, err := tls.dial("localhost:${port}", roots: "root.pem")
  if err == nil { c.write("x") }
  return c, err
}
func tell(what, err) {
  text := err.message.replace("127.0.0.1:${port}", "PEER").replace("[::1]:${port}", "PEER")
  println("cut:", what, err.code, text)
}
c = next()?
c.read()?
_, err := c.read()
tell("read", err)
c = next()?
c.read_line()?
_, err = c.read_line()
println("cut: read_line", err.code)
c = next()?
_, err = c.read_exact(100)
println("cut: read_exact", err.code)
c = next()?
seen := list(c.incoming())
println("cut: incoming", len(seen), seen.last().code)
c = next()?
println("said:", c.read()?, c.read()?, c.read()?)
c.close()
c = next()?
_, err = c.read_exact(100)
println("said: read_exact", err.code)
c.close()
for what in ["garbage", "nothing"] {
  _, err = next()
  println("${what}:", err.code, err.message.split(": ").last())
}
closing := chan()
c = pair(func(c) { c.close(); close(closing) })?
<-closing
err = nil
for err == nil { err = c.write("x".repeat(10_000)) }
code := if err.code == "reset" { "broken_pipe" } else { err.code }
c.close()
_, read_err := c.read()
println("gone:", code, read_err.code, c.write("x").code)
END
cat > cut.py << 'END'
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("server.pem", "server.key")
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
for says in sys.argv[1:]:
    raw = listener.accept()[0]
    if says == "nothing":
        raw.recv(1000)
        raw.shutdown(socket.SHUT_WR)
        raw.close()
        continue
    if says == "garbage":
        raw.sendall(b"220 hello, this is not TLS at all\r\n" * 3)
        raw.recv(1000)
        raw.close()
        continue
    c = context.wrap_socket(raw, server_side=True)
    c.recv(1)
    c.sendall(b"one\ntwo" if says != "said" else b"some")
    if says == "said":
        c.unwrap()
    else:
        c.shutdown(socket.SHUT_RDWR)
    c.close()
END
python3 cut.py cut cut cut cut said said garbage nothing | "$CSPVM" script.csp
