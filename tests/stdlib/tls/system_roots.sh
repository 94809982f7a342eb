# A client that is given no roots has those of the system: what SSL_CERT_FILE
# names, or else the file of the distribution. They are loaded once. The named
# one is a FIFO here, which gives its bytes to one reader, so that a second load
# would wait for ever.
# needs: openssl unshare mount /etc/ssl/certs/ca-certificates.crt
# expect: by the environment: 40 trusted
# expect: later: trusted
# expect: http: hello
# expect: by the distribution: trusted
# expect: by another file: tls of an unknown authority, CN=Root
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
unset SSL_CERT_FILE SSL_CERT_DIR
cat > script.csp << 'END'
import "http"
import "net"
import "os"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  if tls.server(c, config) == nil { _, _ = c.read() }
})
func trust() {
  c, err := tls.dial(listener.address(), timeout: 0)
  if err != nil { return "${err.code} " + err.message.split(" is ").last() }
  c.close()
  return "trusted"
}
if len(os.args) > 0 {
  println("${os.args[0]}:", trust())
  os.exit(0)
}

// Many that come at once, before the roots are loaded.
told := chan(40)
group {
  for _ in 40 { go { told <- trust() } }
}
close(told)
println("by the environment:", len(list(told).filter(func(text) => text == "trusted")), "trusted")
println("later:", trust())
web := net.listen("127.0.0.1:0")?
go http.serve(web, func(r) => "hello", tls: config)
println("http:", http.get("https://${web.address()}/")?.text()?)
os.exit(0)
END
mkfifo fifo
cat root.pem > fifo & feeder=$!
SSL_CERT_FILE=$PWD/fifo "$CSPVM" script.csp
{ kill "$feeder"; wait "$feeder"; } 2> /dev/null  # if nobody has read it
cat > inside.sh << 'END'
mount --bind root.pem /etc/ssl/certs/ca-certificates.crt
"$CSPVM" script.csp 'by the distribution'
END
unshare -Urm bash inside.sh
SSL_CERT_FILE=$PWD/strange.pem "$CSPVM" script.csp 'by another file'
