# SPDX-License-Identifier: MIT
# Sourced by the tests of what was not sent whole. It goes to $TMPDIR, with the
# certificates of certs.sh, and makes the module cut.csp there.
. tests/stdlib/tls/lib/certs.sh
cat > cut.csp << 'CUT'
import "net"
import "tls"
const big = "x".repeat(30_000_000)
const listener = net.listen("127.0.0.1:0")?
const config = tls.config("server.pem", "server.key")?

func code(err) => if err == nil { nil } else { err.code }

func client() {
  return tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")
}

func server() {
  c := listener.accept()?
  tls.server(c, config)?
  return c, nil
}

// Whether the reads of the side that reading() opens end with an error, after
// f(c, let, begun) and a close of the other side. After 1,000 bytes they give a
// value to begun, and go on when f is over, or calls let.
func end_after(reading, writing, f) {
  reads, begun := chan(2), chan(1)
  reader := go func() {
    c, err := reading()
    if err != nil { return err.code }
    got := 0
    for {
      piece, err := c.read(1000)
      if err != nil { return err.code }
      if piece == nil { return nil }
      if got < 1000 && got + len(piece) >= 1000 {
        begun <- true
        <-reads
      }
      got += len(piece)
    }
  }()
  c, err := writing()
  if err != nil { return err }
  f(c, func() { reads <- true }, begun)
  reads <- true
  sleep(50ms)  // until a good-bye could be sent
  c.close()
  how := <-reader
  return if ["tls", "reset"].contains(how) { "told" } else { how }
}
CUT
