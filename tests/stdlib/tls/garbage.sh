# What is no TLS, to a server and to a client, and what was TLS with one byte
# that is another. Each is refused, and the server goes on.
# small: CSPDEBUG=gcstress=31
# expect: to the server: {"tls": 300}
# expect: to the client: {"tls": 100}
# expect: one byte: 60 refused
# expect: the server is there: hello
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "rand"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
counts := {}
func count(err) {
  code := if err == nil { "nil" } else { err.code }
  counts[code] = (counts[code] ?? 0) + 1
}
func pair() {
  c, _ := net.dial(listener.address())
  s, _ := listener.accept()
  return c, s
}

// A third is anything, a third a record of a handshake, a third a ClientHello.
func garbage(i) {
  n := rand.int_range(1, 2000)
  data := if i % 3 > 0 { bytes([22, 3, 1, n / 256, n % 256]) } else { bytes() }
  for _ in n { data.push(rand.int(256)) }
  if i % 3 > 1 && n > 4 { data[5], data[6], data[7], data[8] = 1, 0, (n - 4) / 256, (n - 4) % 256 }
  return data
}
for i in 300 {
  c, s := pair()
  c.write(garbage(i))?
  _ = c.close_write()
  count(tls.server(s, config))
  c.close()
}
println("to the server:", counts)
counts = {}
for i in 100 {
  c, s := pair()
  s.write(garbage(i))?
  _ = s.close_write()
  count(tls.client(c, "localhost", roots: "root.pem"))
  s.close()
}
println("to the client:", counts)

// Carries what comes, and changes byte number `at` of what the client sends.
func carry(from, to, at) {
  seen := 0
  for {
    data, err := from.read_bytes()
    if err != nil || data == nil { break }
    if at >= seen && at < seen + len(data) { data[at - seen] = data[at - seen] ^ 0x41 }
    seen += len(data)
    if to.write(data) != nil { break }
  }
  _ = to.close_write()
}
refused := 0
for i in 60 {
  c, left := pair()
  right, s := pair()
  group {
    go carry(left, right, 100 + i * 7)
    go carry(right, left, -1)
    go {
      err := tls.server(s, config, 5s)
      got := nil
      if err == nil { got, err = s.read_exact(1000) }
      if err != nil { refused++ }
      if err == nil && got != "x".repeat(1000) { println("wrong", i) }
      s.close()
    }
    if tls.client(c, "localhost", roots: "root.pem", timeout: 5s) == nil {
      if c.write("x".repeat(1000)) == nil { _, _ = c.read() }
    }
    c.close()
  }
}
println("one byte:", refused, "refused")
c, s := pair()
group {
  go {
    tls.server(s, config)?
    s.write("hello")?
  }
  tls.client(c, "localhost", roots: "root.pem")?
  println("the server is there:", c.read()?)
}
END
"$CSPVM" script.csp
