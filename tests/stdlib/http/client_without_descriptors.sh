# Kept connections give their descriptors to new ones where none is left.
# small: CSPDEBUG=
# expect: 100 origins answer: true
# expect: and are kept again: true
cat > "$TMPDIR/script.csp" << 'END_OF_SCRIPT'
import "http"
import "net"
listener := net.listen("0.0.0.0:0")?
_, port, _ := listener.address().cut(":")
accepted := [0]
go listener.serve(func(c) {
  accepted[0]++
  for {
    head, _ := c.read_until("\r\n\r\n")
    if head == nil { return }
    if c.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") != nil { return }
  }
})
good := 0
for i in 100 {
  reply, err := http.get("http://127.0.1.${i}:${port}/")
  if err != nil { println(err) }
  if err == nil && reply.ok() { good++ }
}
println("100 origins answer:", good == 100)
before := accepted[0]
http.get("http://127.0.1.99:${port}/")?
println("and are kept again:", accepted[0] == before)
END_OF_SCRIPT
ulimit -n 64
http_proxy='' no_proxy='*' "$CSPVM" "$TMPDIR/script.csp"
