# Certificates that a client refuses, or a server, each with the reason.
# expect: expired: tls: the server's certificate (CN=localhost) expired at 2021-01-02 03:04:05Z
# expect: future: tls: the server's certificate (CN=localhost) is not valid before 2098-01-02 03:04:05Z
# expect: other: tls: the server's certificate (CN=other) is for another host: for other.test, *.more.test, not for 127.0.0.1
# expect: self: tls: the server's certificate (CN=localhost) is self-signed, and not among the roots
# expect: unknown: tls: the server's certificate (CN=localhost) is of an unknown authority, CN=Strange
# expect: by the system: tls: the server's certificate (CN=localhost) is of an unknown authority, CN=Root
# expect: a longer name: tls: the server's certificate (CN=localhost) is for another host: for localhost, 127.0.0.1, not for x.localhost
# expect: insecure: nil {"subject": "CN=localhost", "issuer": "CN=Strange"}
# expect: a wildcard: nil
# expect: a name more: tls: the server's certificate (CN=other) is for another host: for other.test, *.more.test, not for a.b.more.test
# expect: itself as a root: nil
# expect: no client: tls: the client sent no certificate
# expect: unknown client: tls: the client's certificate (CN=localhost) is of an unknown authority, CN=Strange
# expect: expired client: tls: the client's certificate (CN=localhost) expired at 2021-01-02 03:04:05Z
# expect: what the client reads: tls the other side refused: certificate required
# expect: a client: nil CN=somebody
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"

// The errors of both sides of one connection, and what they know of each other.
func meet(config, options) {
  listener, _ := net.listen("127.0.0.1:0")
  defer listener.close()
  server := chan(1)
  go {
    c, _ := listener.accept()
    err := tls.server(c, config)
    if err == nil { c.write("hello\n") }
    server <- (err, tls.info(c))
  }
  c, _ := net.dial(listener.address())
  defer c.close()
  err := tls.client(c, options.name ?? "127.0.0.1", roots: options.roots, certificate: options.certificate,
                    key: options.key, insecure: options.insecure ?? false)
  _, said := c.read_line()
  return {client: err, server: <-server, said: said, info: tls.info(c)}
}

func tail(text, from) => text.split(": ")[from:].join(": ")

func why(err) {
  if err == nil { return "nil" }
  return "${err.code}: " + tail(err.message, 2)
}

func config_of(name, roots) {
  config, err := tls.config("${name}.pem", "${name}.key", roots)
  if err != nil { panic(err) }
  return config
}

for name in ["expired", "future", "other", "self", "unknown"] {
  println("${name}:", why(meet(config_of(name, nil), {roots: "root.pem"}).client))
}
good := config_of("server", nil)
println("by the system:", why(meet(good, {}).client))
println("a longer name:", why(meet(good, {name: "x.localhost", roots: "root.pem"}).client))
met := meet(config_of("unknown", nil), {insecure: true})
certificate := met.info.certificate
println("insecure:", met.client, {subject: certificate.subject, issuer: certificate.issuer})
other := config_of("other", nil)
println("a wildcard:", why(meet(other, {name: "one.more.test", roots: "root.pem"}).client))
println("a name more:", why(meet(other, {name: "a.b.more.test", roots: "root.pem"}).client))
own := tls.config("self.pem", "self.key")?
met = meet(own, {name: "localhost", roots: "self.pem"})
println("itself as a root:", why(met.client))
strict := config_of("server", "root.pem")
met = meet(strict, {roots: "root.pem"})
println("no client:", why(met.server[0]))
said := met.said
for name in ["unknown", "expired"] {
  met = meet(strict, {roots: "root.pem", certificate: "${name}.pem", key: "${name}.key"})
  println("${name} client:", why(met.server[0]))
}
println("what the client reads:", said.code, tail(said.message, 1))
met = meet(strict, {roots: "root.pem", certificate: "client.pem", key: "client.key"})
println("a client:", why(met.client), met.server[1].certificate.subject)
END
"$CSPVM" script.csp
