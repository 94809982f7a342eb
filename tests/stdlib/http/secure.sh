# https and wss, in both directions, with curl at the other end, too.
# expect: a page, and again: secure secure
# expect: a long file, and a part of it: true true
# expect: the roots do not have it: tls
# expect: without TLS: closed
# expect: wss: hello! nil
# expect: the server has ended: nil
# expect: curl: secure 200
# expect: without the module: https needs the module tls: write `import "tls"`
export http_proxy= https_proxy=
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "http"
import "net"
import "os"
import "tls"
import "websocket"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
app := http.routes({
  "/": func(request) => "secure",
  "/files/{path...}": http.files("."),
  "/ws": func(request) {
    ws := request.websocket()?
    ws.write(ws.read()? + "!")?
    ws.close()
  },
})
serving := go http.serve(listener, app, tls: config)
at := "https://${listener.address()}/"
trusted := {roots: "root.pem"}
println("a page, and again:", http.get(at, tls: trusted)?.text()?, http.get(at, tls: trusted)?.text()?)
long := "0123456789".repeat(50_000)
os.write_file("long", long)?
whole := http.get(at + "files/long", tls: trusted)?.text()? == long
part := http.get(at + "files/long", {range: "bytes=3-400002"}, tls: trusted)?.text()? == long[3:400_003]
println("a long file, and a part of it:", whole, part)
_, err := http.get(at)
println("the roots do not have it:", err.code)
_, err = http.get(at.replace("https", "http"))
println("without TLS:", err.code)
secure := func(connection, name) => tls.client(connection, name, roots: "root.pem")
ws := websocket.dial("wss://${listener.address()}/ws", secure: secure)?
ws.write("hello")?
println("wss:", ws.read()?, ws.read()?)
http.close_idle()
listener.close()
println("the server has ended:", <-serving)
listener = net.listen("127.0.0.1:0")?
go http.serve(listener, app, tls: config)
args := ["-s", "-w", " %{http_code}", "--cacert", "root.pem", "https://${listener.address()}/"]
println("curl:", os.run("curl", args)?.out)
listener.close()
END
"$CSPVM" script.csp
cat > without.csp << 'END'
import "http"
_, err := http.get("https://127.0.0.1:1/")
println("without the module:", err.message.part(err.message.index("https needs")))
END
"$CSPVM" without.csp
