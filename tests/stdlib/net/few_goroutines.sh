# Clients can take all goroutines that there may be. A connection is closed
# then, and the server goes on.
# expect: 30 clients
# expect: answers nil
# expect stderr: net: a connection failed: too many goroutines: the limit is 8
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "net"
listener := net.listen("127.0.0.1:0")?
serving := go listener.serve(func(connection) { connection.write(connection.read()?)
  connection.read()? })
held := []
for _ in 30 {
  client := net.dial(listener.address())?
  client.write("GET")?
  held.push(client)
}
sleep(100ms)
println(len(held), "clients")
for client in held { client.close() }
answer := nil
for answer == nil {
  client := net.dial(listener.address())?
  _ = client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
  answer, _ = client.read()
  client.close()
}
listener.close()
println("answers", <-serving)
END_OF_SCRIPT
"$CSPVM" --max-goroutines 8 script.csp
