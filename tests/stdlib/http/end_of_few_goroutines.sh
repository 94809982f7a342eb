# A server ends as it should, where no goroutine is left to tell the handlers of
# that: their connections are closed.
# expect: ended nil
# expect: closed nil
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
listener := net.listen("127.0.0.1:0")?
serving := go http.serve(listener, func(request) {
  connection := request.take(func() {})
  connection.write("x")?
  _, _ = connection.read()
})
held := []
for _ in 5 {
  client := net.dial(listener.address())?
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?
  client.read()?
  held.push(client)
}
listener.close()
println("ended", <-serving)
println("closed", held[4].read()?)
END_OF_SCRIPT
"$CSPVM" --max-goroutines 7 script.csp
