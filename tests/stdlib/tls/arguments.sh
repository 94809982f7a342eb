# Arguments that are wrong, certificates that cannot be read, and what a
# connection tells.
# expect: tls.client: connection must be a connection, not int
# expect: tls.client: insecure must be a bool, not string
# expect: tls.server: timeout must be an int of at least 0, not -1
# expect: tls.client: server_name must be given, as the certificate has to be for it (or insecure: true)
# expect: tls.dial: "unix:/nowhere" names no host, so server_name has to (or insecure: true)
# expect: tls.dial: address must be a string of 1 to 4096 bytes without NUL, not nil
# expect: tls.dial: server_name must be a string of 1 to 253 bytes without NUL, not one of 254
# expect: not_found tls.dial: roots missing.pem: No such file or directory
# expect: not_found tls.client: roots missing.pem: No such file or directory
# expect: tls.config: certificate must be a path or a text in PEM of at most 1,048,576 bytes, not string
# expect: tls.config: alpn must be a list of protocols, some 1,000 bytes at most, not list
# expect: not_found tls.config: certificate missing.pem: No such file or directory
# expect: tls tls.config: certificate empty.pem: there is no certificate in PEM
# expect: tls tls.config: certificate .: no file of at most 1,048,576 bytes
# expect: tls tls.config: certificate pipe: no file of at most 1,048,576 bytes
# expect: tls tls.config: key locked.key: the key is encrypted, which is not supported
# expect: tls tls.config: key other.key: the key is not the certificate's
# expect: tls tls.config: key server.pem: there is no key in PEM
# expect: tls tls.config: certificate: bad base64 decode
# expect: nil nil <tls_config>
# expect: ["version", "cipher", "alpn", "server_name", "resumed", "certificate"]
# expect: localhost CN=Österreich ["localhost", "127.0.0.1"] 2020 4070908800000000000 true
. tests/stdlib/tls/lib/certs.sh
signed server root Österreich "$here" 20200101000000Z 20990101000000Z
: > empty.pem
mkfifo pipe
openssl ec -in server.key -aes128 -passout pass:x -out locked.key 2> /dev/null
cat > script.csp << 'END'
import "maps"
import "net"
import "os"
import "time"
import "tls"
listener := net.listen("127.0.0.1:0")?
plain := net.dial(listener.address())?
func panics(f, arguments...) {
  _, err := try(func() => f(arguments...))
  println(err.message)
}
panics(tls.client, 1)
_, err := try(func() => tls.client(plain, insecure: "false"))
println(err)
_, err = try(func() => tls.server(plain, nil, -1))
println(err)
panics(tls.client, plain)
_, err = tls.dial("unix:/nowhere")
println(err)
panics(tls.dial, nil)
_, err = try(func() => tls.dial("localhost:1", server_name: "a".repeat(254)))
println(err)
_, err = tls.dial("127.0.0.1:1", roots: "missing.pem")
println(err.code, err)
err = tls.client(plain, "localhost", roots: "missing.pem")
println(err.code, err)
panics(tls.config, "")
_, err = try(func() => tls.config("server.pem", alpn: [1]))
println(err)
func fails(certificate, key) {
  _, err := tls.config(certificate, key)
  println(err.code, err)
}
fails("missing.pem", "server.key")
fails("empty.pem", "server.key")
fails(".", "server.key")
fails("pipe", "server.key")
fails("server.pem", "locked.key")
fails("server.pem", "other.key")
fails("server.pem", "server.pem")
fails(os.read_file("server.pem")?.replace("MII", "M!I"), "server.key")
config := tls.config("server.pem", "server.key", alpn: [])?
println(tls.info(plain), err_of(plain), config)
func err_of(c) {
  c.close()
  return tls.info(c)
}
go listener.serve(func(c) { if tls.server(c, config) == nil { c.read() } })
c := tls.dial(listener.address(), roots: os.read_file("root.pem")?, server_name: "localhost.")?
info := tls.info(c)
println(maps.keys(info))
certificate := info.certificate
println(info.server_name, certificate.subject, certificate.names, time.date(certificate.not_before).year, certificate.not_after, len(certificate.fingerprint) == 64)
c.close()
listener.close()
END
"$CSPVM" script.csp
