# A connection of which each byte comes alone, in both directions, and one that
# is torn at any place: never a wrong answer, always an end.
# expect: whole true true
# expect: torn within the handshake: true
# expect: torn later: ["tls"]
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > proxy.py << 'END'
import os, socket, sys, threading
port = int(sys.argv[1])
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)

def carry(source, target, most):
    try:
        while most != 0:
            data = source.recv(1 if most < 0 else min(most, 64))
            if not data:
                break
            target.sendall(data)
            most -= len(data)
    except OSError:
        pass
    try:
        target.shutdown(socket.SHUT_WR)
        source.shutdown(socket.SHUT_RD)
    except OSError:
        pass

# The first line of standard input that a connection takes says after how many
# bytes of the server it ends.
for line in sys.stdin:
    client = listener.accept()[0]
    server = socket.create_connection(("127.0.0.1", port))
    for c in client, server:
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=carry, args=(client, server, -1), daemon=True).start()
    threading.Thread(target=carry, args=(server, client, int(line)), daemon=True).start()
END
cat > script.csp << 'END'
import "maps"
import "net"
import "os"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  if tls.server(c, config) != nil { return }
  for {
    line, err := c.read_line()
    if err != nil || line == nil { break }
    if c.write(line, "\n") != nil { return }
  }
  if c.close_write() != nil { return }
})
os.write_file("server", listener.address().split(":").last())?
os.rename("server", "server.port")?
proxy := os.open("proxy.in", "w")?
for !os.exists("proxy.port") { sleep(5ms) }
address := "127.0.0.1:" + os.read_file("proxy.port")?.trim()

func ask(most, text) {
  proxy.write("${most}\n")?
  proxy.flush()?
  c, err := tls.dial(address, roots: "root.pem")
  if err != nil { return nil, err }
  defer c.close()
  if err = c.write(text, "\n"); err != nil { return nil, err }
  c.close_write()?
  got, read_err := c.read_line()
  if read_err != nil { return got, read_err }
  end, end_err := c.read()
  return got == text && end == nil, end_err
}

long := "0123456789".repeat(500)
first, err := ask(-1, "a line")
println("whole", first, ask(-1, long)? && err == nil)

refused, later := 0, {}
for most in (0..2000).by(97) {
  got, torn := ask(most, long)
  if torn == nil { println("torn at", most, got) }
  if torn.message.has_prefix("tls.dial") { refused++ } else { later[torn.code] = true }
}
println("torn within the handshake:", refused > 5)
for most in (1700..5000).by(611) {
  got, torn := ask(most, long)
  later[torn.code] = true
}
println("torn later:", maps.keys(later))
listener.close()
END
mkfifo proxy.in
"$CSPVM" script.csp & script=$!
until [ -e server.port ]; do sleep 0.01; done
python3 proxy.py "$(cat server.port)" < proxy.in > proxy.new &
until [ -s proxy.new ]; do sleep 0.01; done
mv proxy.new proxy.port
wait "$script"
