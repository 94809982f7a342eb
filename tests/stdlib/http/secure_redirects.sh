# A redirect from https to http is refused, before anything is sent there, while
# one to https is followed. Credentials for http do not go to https.
# needs: openssl
# expect: https: secure nil
# expect: to https: secure nil
# expect: to http: refused the redirect to http://PLAIN/secret leads from https to http
# expect: by https to http: refused the redirect to http://PLAIN/secret leads from https to http
# expect: the text of one that is not followed: 303
# expect: asked in the open: ["/to"]
export http_proxy= https_proxy=
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "tls"
config := tls.config("server.pem", "server.key")?
asked := []
func start(handler, tls = nil) {
  listener := net.listen("127.0.0.1:0")?
  go http.serve(listener, handler, tls: tls)
  return listener.address(), nil
}
plain, secure := "", ""
plain = start(func(r) {
  asked.push(r.path)
  return http.redirect("https://${secure}${(if r.path == "/to" { "/" } else { "/down" })}")
})?
secure = start(func(r) {
  switch r.path {
  case "/down": return http.redirect("http://${plain}/secret")
  case "/again": return http.redirect("/down", 307)
  default: return "secure ${r.header("authorization")}"
  }
}, config)?
trusted := {roots: "root.pem"}
func show(name, url) {
  reply, err := http.get(url, {authorization: "secret"}, tls: trusted)
  println("${name}:", (if err == nil { reply.text()? } else {
    "${err.code} ${err.message.split(": ").last()}".replace(plain, "PLAIN")
  }))
}
println("https:", http.get("https://${secure}/", tls: trusted)?.text()?)
show("to https", "http://${plain}/to")
show("to http", "https://${secure}/down")
show("by https to http", "https://${secure}/again")
println("the text of one that is not followed:", http.get("https://${secure}/down", redirects: 0, tls: trusted)?.status)
println("asked in the open:", asked)
END_OF_SCRIPT
"$CSPVM" script.csp
