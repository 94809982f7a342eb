# net looks up its names by dns, in a network of the test's own. There a server
# of the test answers at port 53, and hosts, resolv.conf and nsswitch.conf are
# the test's. Where nsswitch.conf names others, getaddrinfo is asked.
# needs: unshare ip mount
# timeout: 60
# expect: in hosts: ["192.0.2.7"] 0
# expect: asked: ["192.0.2.1", "192.0.2.2"]
# expect: searched: ["192.0.2.3"]
# expect: not_found there is no such name
# expect: web.example says welcome
# expect: http: from http
# expect: waits for the network: true
# expect: waits in a call: true
# expect: by getaddrinfo: ["192.0.2.7"] ["192.0.2.3"]
# expect: without dns: true
cp "$PWD/tests/stdlib/dns/lib/server.csp" "$TMPDIR/server.csp"
cd "$TMPDIR" || exit 1
printf '127.0.0.1 localhost\n192.0.2.7 known known.example\n' > hosts
printf 'nameserver 127.0.0.1\nsearch sub.example\n' > resolv.conf
printf 'passwd: files\nhosts: files dns # and no others\n' > nsswitch.conf
cat > by_net.csp << 'END'
import "./server"
import "dns"
import "http"
import "net"
import "os"
import "sched"
import "sync"

asked := sync.counter()
server.start(func(q) {
  asked.add(1)
  if q.name == "silent.example" { return [] }
  rows := []
  if q.kind == "A" {
    switch q.name {
    case "two.example": rows = [server.row(q.name, "A", "192.0.2.1"), server.row(q.name, "A", "192.0.2.2")]
    case "short.sub.example": rows = [server.row(q.name, "A", "192.0.2.3")]
    case "web.example": rows = [server.row(q.name, "A", "127.0.0.1")]
    }
  }
  known := ["two.example", "short.sub.example", "web.example"]
  return [server.reply(q, rows, code: (if q.name in known { 0 } else { 3 }))]
}, "127.0.0.1:53")

println("in hosts:", net.lookup("known")?, asked.get())
println("asked:", net.lookup("two.example")?)
println("searched:", net.lookup("short")?)
_, err := net.lookup("none.example")
println(err.code, err.message.split(": ")[1])

listener := net.listen(":0")?
port := listener.address().split(":").pop()
go listener.serve(func(c) => c.write("welcome"))
println("web.example says", net.dial("web.example:${port}")?.read()?)
web := net.listen("127.0.0.1:0")?
go http.serve(web, func(request) => "from http")
println("http:", http.get("http://web.example:${web.address().split(":")[1]}/")?.text()?)

func waits(how) {
  found := false
  group g {
    go net.lookup("silent.example", timeout: nil)
    for !found {
      found = sched.dump().contains(how)
      sleep(1ms)
    }
    g.cancel()
  }
  return found
}
println("waits for the network:", waits("IO wait"))
os.write_file("nsswitch.conf", "hosts: files [NOTFOUND=continue] dns\n")?
println("waits in a call:", waits("blocking call net._lookup"))
println("by getaddrinfo:", net.lookup("known")?, net.lookup("short")?)
END
cat > without.csp << 'END'
import "net"
import "sched"
silent := net.udp("127.0.0.1:53")?
go net.lookup("silent.example", timeout: nil)
for !sched.dump().contains("blocking call net._lookup") { sleep(1ms) }
println("without dns:", silent != nil)
END
cat > inside.sh << 'END'
ip link set lo up
for name in hosts resolv.conf nsswitch.conf; do mount --bind $name /etc/$name; done
export RES_OPTIONS='timeout:1 attempts:1'
"$CSPVM" by_net.csp
"$CSPVM" without.csp
END
unshare -Urnm bash inside.sh
