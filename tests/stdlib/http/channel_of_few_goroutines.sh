# A channel is a body where no goroutine is left to watch its client or to drop
# what nobody reads. Such answers were broken off, and senders waited for ever.
# expect: 8|piece 0 |8|piece 1 |8|piece 2 |
# expect: HEAD: 200 and all was sent
# expect: the client has left: /quiet
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "sched"
listener := net.listen("127.0.0.1:0")?
sent, logged := chan(10), chan(10)
serving := go http.serve(listener, func(request) {
  body := chan()
  if request.path == "/quiet" { return body }
  go {
    for i in 3 { sleep(2ms); body <- "piece ${i} " }
    body <- nil
    sent <- true
  }
  return body
}, stall: 10ms, log: func(request, status, ns) { logged <- request.path })
func ask(request) {
  client := net.dial(listener.address())?
  client.write("${request} HTTP/1.1\r\nHost: a\r\n\r\n")?
  head := client.read_until("\r\n\r\n")?
  return client, head[9:12], nil
}
client, status := ask("GET /")?
println(client.read_until("0\r\n\r\n")?.replace("\r\n", "|"))
client.close()
<-sent; <-logged
func alone() { for sched.goroutines() > 2 { sleep(1ms) } }
alone()

client, status = ask("HEAD /")?
<-sent; <-logged
println("HEAD:", status, "and all was sent")
client.close()
alone()

// One whose client cannot be watched at first is watched later.
free := chan()
go { <-free }
client, status = ask("GET /quiet")?
sleep(50ms)
free <- true
client.close()
println("the client has left:", <-logged)
END_OF_SCRIPT
"$CSPVM" --max-goroutines 4 script.csp
