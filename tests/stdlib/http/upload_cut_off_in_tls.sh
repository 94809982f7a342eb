# A client that is cut off within a body, where TLS tells it, has done that to
# itself: the answer is 400, and the server has nothing to complain of.
# expect: true 400
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "faults"
import "http"
import "net"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
failed := chan(1)
go http.serve(listener, func(request) {
  _, err := request.bytes()
  // (It is a reset if the system had not handed over the server's ticket.)
  failed <- "${err.code in ["tls", "reset"]} ${err.status}"
  return nil, err
}, tls: config)
// The fault comes after the handshake and within the body.
seed := 0
plan := faults.plan(seed, 0, ["cut"], 1 << 16)
for plan.side != "up" || plan.at < 5_000 {
  seed++
  plan = faults.plan(seed, 0, ["cut"], 1 << 16)
}
proxy := faults.proxy(listener.address(), seed, ["cut"])
client := tls.dial(proxy.address(), roots: "root.pem")?
_ = client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", "x".repeat(100_000))
println(<-failed)
client.close()
proxy.close()
listener.close()
END
CSPPATH=$OLDPWD/tests/stdlib/net/lib "$CSPVM" script.csp
