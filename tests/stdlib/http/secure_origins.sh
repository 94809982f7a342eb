# What https must not do: take what nobody asked for as the next answer, or
# show a client's certificate to the host that a redirect names. A target that
# begins with https is of this server, and one with http is not.
# needs: openssl
# expect: kept: true
# expect: no poison: ok ok
# expect: https: HTTP/1.1 200 OK
# expect: http: HTTP/1.1 400 Bad Request
# expect: with its certificate: in
# expect: to another host: tls certificate required
# expect: to the same host: in
# expect: a name for one host: tls
export http_proxy= https_proxy=
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "http"
import "net"
import "tls"
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
config := tls.config("server.pem", "server.key")?
strict := tls.config("server.pem", "server.key", client_roots: "root.pem")?
func start(config, handler) {
  listener := net.listen("0.0.0.0:0")?
  go http.serve(listener, handler, tls: config)
  return listener.address().replace("0.0.0.0", "127.0.0.1"), nil
}
trusted := {roots: "root.pem"}
at := start(config, func(r) => r.remote())?
first := http.get("https://${at}/", tls: trusted)?.text()?
println("kept:", http.get("https://${at}/", tls: trusted)?.text()? == first)
bad := net.listen("127.0.0.1:0")?
go bad.serve(func(c) {
  tls.server(c, config)?
  for c.read_until("\r\n\r\n")? != nil { c.write(OK, OK.replace("ok", "no"))? }
})
url := "https://${bad.address()}/"
println("no poison:", http.get(url, tls: trusted)?.text()?, http.get(url, tls: trusted)?.text()?)
for scheme in ["https", "http"] {
  c := tls.dial(at, roots: "root.pem")?
  c.write("GET ${scheme}://here/ HTTP/1.1\r\nHost: here\r\n\r\n")?
  println("${scheme}:", c.read_line()?)
  c.close()
}
inner := start(strict, func(r) => "in")?
outer := start(strict, func(r) => http.redirect("https://${inner}/"))?
both := {roots: "root.pem", certificate: "client.pem", key: "client.key"}
println("with its certificate:", http.get("https://${inner}/", tls: both)?.text()?)
_, err := http.get("https://${outer}/", tls: both)
println("to another host:", err.code, err.message.split(": ").last())
same := start(strict, func(r) => if r.path == "/in" { "in" } else { http.redirect("/in") })?
println("to the same host:", http.get("https://${same}/", tls: both)?.text()?)
named := {roots: "root.pem", server_name: "localhost"}
go_on := start(config, func(r) => http.redirect("https://${at.replace("127.0.0.1", "127.0.0.2")}/"))?
_, err = http.get("https://${go_on}/", tls: named)
println("a name for one host:", err.code)
END
"$CSPVM" script.csp
