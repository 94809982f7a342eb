# A handler asks whether its client has left, and then reads the body, while all
# goroutines are taken. The body failed, as none was left to watch the client.
# expect: read: the body nil
# expect: the client has left
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
free, begun, left := chan(), chan(1), chan(1)
func take_all() { for { go { <-free } } }
listener := net.listen("127.0.0.1:0")?
serving := go http.serve(listener, func(request) {
  over := request.ended()
  _ = try(take_all)
  text, err := request.text()
  println("read:", text, err)
  begun <- true
  <-over
  left <- true
})
client := net.dial(listener.address())?
client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nthe body")?
select {
case <-begun:
case <-after(5s):
}
client.close()
select {
case <-left: println("the client has left")
case <-after(5s): println("nobody tells that the client has left")
}
END_OF_SCRIPT
"$CSPVM" --max-goroutines 6 script.csp
