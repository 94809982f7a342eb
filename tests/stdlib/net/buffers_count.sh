# What connections have received and not read is in the limit of memory, which
# knew nothing of it: many clients with half a line each could take all that
# the machine has. Now some get an error, and the server goes on.
# timeout: 60
# small: CSPDEBUG=
# expect: some are told
# expect: served: some
# expect: later: hello
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "net"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
listener.serve(func(connection) {
  line := connection.read_line()?
  connection.write((if len(line) > 9 { "served\n" } else { "${line}\n" }))?
})
END_OF_SCRIPT
cat > client.csp << 'END_OF_SCRIPT'
import "net"
import "os"
address := os.args[0]
func begin(count) {
  clients, text := [], "x".repeat(60_000)
  for _ in count {
    connection := net.dial(address)?
    _ = connection.write(text)
    clients.push(connection)
  }
  return clients, nil
}
clients := begin(400)?
// The server has read more than there is room for.
for tries := 0; tries < 2000 && !os.read_file(os.args[1])?.contains("Cannot allocate"); tries++ { sleep(10ms) }
served := 0
for c in clients {
  _ = c.write("\n")
  line, _ := c.read_line()
  if line == "served" { served++ }
  c.close()
}
// 16 MB have no room for 400 buffers of more than 60,000 bytes.
println("served:", (if served < 400 { "some" } else { served }))
connection := net.dial(address)?
connection.write("hello\n")?
println("later:", connection.read_line()?)
END_OF_SCRIPT
"$CSPVM" --max-memory 16 server.csp > at 2> told &
server=$!
while [ ! -s at ]; do sleep 0.01; done
"$CSPVM" client.csp "$(cat at)" told > out
kill "$server"
grep -q "failed: .*Cannot allocate memory" told && echo "some are told"
cat out
