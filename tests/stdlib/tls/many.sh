# A hundred connections at once, each read and written by two goroutines at the
# same time, on both sides.
# expect: 100 200000
# expect: {"h2": 50, "http/1.1": 50}
# procs: 4
# small: CSPDEBUG=gcstress=31
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"
const PIECES = 100
const PIECE = 1000
config := tls.config("server.pem", "server.key", "root.pem", ["http/1.1", "h2"])?
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  if err := tls.server(c, config, 60s); err != nil { panic(err) }
  group {
    go {
      for i in PIECES { c.write("s".repeat(PIECE))? }
      c.close_write()?
    }
    total := 0
    for piece in c.incoming() { total += len(piece) }
    if total != PIECES * PIECE { println("server", total) }
  }
})
func one(i) {
  alpn := if i % 2 == 0 { ["h2"] } else { ["spdy", "http/1.1"] }
  c, err := tls.dial(listener.address(), timeout: 60s, roots: "root.pem", certificate: "client.pem", key: "client.key", alpn: alpn)
  if err != nil { panic(err) }
  total := 0
  group {
    go {
      for i in PIECES { c.write("c".repeat(PIECE - 1), bytes("d"))? }
      c.close_write()?
    }
    data := c.read()?
    for data != nil {
      total += len(data)
      data = c.read()?
    }
  }
  info := tls.info(c)
  c.close()
  return total + PIECES * PIECE, info.alpn
}
tasks := list(0..100).map(func(i) { t := go one(i); return t })
protocols, totals := {}, {}
for t in tasks {
  total, alpn := <-t
  totals[total] = (totals[total] ?? 0) + 1
  protocols[alpn] = (protocols[alpn] ?? 0) + 1
}
for total, count in totals { println(count, total) }
println(protocols)
listener.close()
END
"$CSPVM" script.csp
