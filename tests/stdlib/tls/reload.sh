# A server gets another certificate without a restart. Connections keep theirs.
# expect: before: 127.0.0.1 and localhost, Root
# expect: after: 127.0.0.1 and localhost, Strange
# expect: the old one goes on: still here
# expect: as text: Root
# expect: in one file: Strange
# expect: tls tls_config.reload: key unknown.key: the key is not the certificate's
# expect: not_found
# expect: still: Strange
. tests/stdlib/tls/lib/certs.sh
cat server.pem server.key > one.pem
cat unknown.pem unknown.key > both.pem
cat > script.csp << 'END'
import "net"
import "os"
import "tls"
config := tls.config("one.pem")?
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  if tls.server(c, config) != nil { return }
  for line in lines(c) { c.write(line, "\n")? }
})
func lines(c) {
  return func() {
    line, err := c.read_line()
    return if err == nil { line } else { nil }
  }
}
func ask() {
  c, err := tls.dial(listener.address(), insecure: true)
  if err != nil { panic(err) }
  return c, tls.info(c).certificate
}
func names(certificate) => copy(certificate.names).sort().join(" and ")
func issuer() {
  c, certificate := ask()
  c.close()
  return certificate.issuer.trim_prefix("CN=")
}
old, certificate := ask()
println("before: ${names(certificate)},", certificate.issuer.trim_prefix("CN="))
os.rename("both.pem", "one.pem")?
config.reload()?
c, other := ask()
println("after: ${names(other)},", other.issuer.trim_prefix("CN="))
if certificate.fingerprint == other.fingerprint { println("the same") }
old.write("still here\n")?
println("the old one goes on:", old.read_line()?)
config.reload(os.read_file("server.pem")?, os.read_file("server.key")?)?
println("as text:", issuer())
config = tls.config("unknown.pem", "unknown.key")?
println("in one file:", issuer())
err := config.reload("server.pem")
println(err.code, err)
err = config.reload("missing.pem")
println(err.code)
println("still:", issuer())
listener.close()
END
"$CSPVM" script.csp
