# https through a proxy of the environment: it gives a tunnel (CONNECT), in
# which TLS is spoken with the server itself. So the proxy sees the host's name
# and its own password, and nothing of what is asked.
# needs: openssl
# expect: by the proxy: GET /a?b other.test:PORT secret nil
# expect: the proxy was told: CONNECT other.test:PORT HTTP/1.1 other.test:PORT Basic bWU6cEBzcw==
# expect: it saw none of it: true
# expect: again, in the same tunnel: GET /again other.test:PORT secret nil 1
# expect: by HTTPS_PROXY: GET / other.test:PORT secret nil 2
# expect: the server is another one: tls
# expect: the proxy refuses: refused the proxy http://PROXY gives no connection: 407 Proxy Authentication Required
# expect: the proxy says nothing: refused the proxy http://PROXY gives no connection: it ended the connection
# expect: an address that is no proxy: invalid the proxy that https_proxy names must be http://HOST:PORT
# expect: exempt: GET / 0.0.0.0:PORT secret nil 0
# expect: not exempt: GET / 0.0.0.0:PORT secret nil 1
# expect: this machine: GET / 127.0.0.1:PORT secret nil 1
# expect: the proxy is gone: refused
. tests/stdlib/tls/lib/certs.sh
signed proxied root other.test "DNS:other.test,IP:127.0.0.1,IP:0.0.0.0" 20200101000000Z 20990101000000Z
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
import "sync"
import "tls"
for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"] { os.unset_env(name) }

config := tls.config("proxied.pem", "proxied.key")?
inner := net.listen("0.0.0.0:0")?
go http.serve(inner, func(r) {
  return "${r.method} ${r.target()} ${r.host()} ${r.header("x-word")} ${r.header("proxy-authorization")}"
}, tls: config)
_, port, _ := inner.address().cut(":")

// The proxy knows one host, whatever its name is.
heads, tunnels, passed := chan(10), sync.counter(), sync.counter()
leaks := sync.counter()
func copies(from, to) {
  for {
    piece, err := from.read()
    if piece == nil || err != nil || to.write(piece) != nil { break }
    passed.add(len(piece))
    if piece.contains("secret") || piece.contains("/a?b") { leaks.add(1) }
  }
  to.close()
}
refusal := chan(1)
proxy := net.listen("127.0.0.1:0")?
go proxy.serve(func(c) {
  head := c.read_until("\r\n\r\n")?
  heads <- head
  select {
  case text := <-refusal:
    _ = c.write(text)
    return
  default:
  }
  tunnels.add(1)
  to := net.dial("127.0.0.1:${port}")?
  c.write("HTTP/1.1 200 Connection established\r\n\r\n")?
  group g {
    go copies(c, to)
    go copies(to, c)
  }
})

trusted := {roots: "root.pem"}
func ask(url) {
  reply, err := http.get(url, {"x-word": "secret"}, tls: trusted)
  if err == nil { return reply.text()?.replace(port, "PORT"), nil }
  return "${err.code} ${err.message.split("/: ").last()}".replace(proxy.address(), "PROXY"), nil
}
os.set_env("https_proxy", "http://me:p%40ss@${proxy.address()}")
println("by the proxy:", ask("https://other.test:${port}/a?b")?)
lines := (<-heads).replace(port, "PORT").split("\r\n")
told := [lines[0]]
for line in lines[1:] {
  name, value, found := line.cut(": ")
  if found { told.push(value) }
}
println("the proxy was told:", told.join(" "))
println("it saw none of it:", passed.get() > 0 && leaks.get() == 0)
println("again, in the same tunnel:", ask("https://other.test:${port}/again")?, tunnels.get())
http.close_idle()
os.unset_env("https_proxy")
os.set_env("HTTPS_PROXY", proxy.address())
println("by HTTPS_PROXY:", ask("https://other.test:${port}/")?, tunnels.get())
<-heads
println("the server is another one:", ask("https://more.test:${port}/")?.split(" ")[0])
<-heads
os.set_env("https_proxy", "http://${proxy.address()}")
os.unset_env("HTTPS_PROXY")
refusal <- "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
println("the proxy refuses:", ask("https://x.other.test:${port}/")?)
refusal <- ""
println("the proxy says nothing:", ask("https://x.other.test:${port}/")?)
os.set_env("https_proxy", "socks://secret@nowhere")
println("an address that is no proxy:", ask("https://x.other.test:${port}/")?)

// This address is of this machine, but not one that is exempt by itself.
os.set_env("https_proxy", "http://${proxy.address()}")
before := tunnels.get()
os.set_env("no_proxy", "0.0.0.0")
println("exempt:", ask("https://0.0.0.0:${port}/")?, tunnels.get() - before)
os.unset_env("no_proxy")
println("not exempt:", ask("https://0.0.0.0:${port}/")?, tunnels.get() - before)
println("this machine:", ask("https://127.0.0.1:${port}/")?, tunnels.get() - before)
gone := net.listen("127.0.0.1:0")?
gone.close()
os.set_env("https_proxy", gone.address())
println("the proxy is gone:", ask("https://other.test:${port}/")?.split(" ")[0])
END_OF_SCRIPT
"$CSPVM" script.csp
