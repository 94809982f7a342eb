# A client that sends megabytes without a newline costs no more memory than a
# line may have, and one that never reads stops its own writer alone.
# expect: too_long
# expect: timeout
# expect: other clients are served
cd "$TMPDIR" || exit 1
cat > script.csp << 'END'
import "net"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
codes := chan(2)
go listener.serve(func(c) {
  kind := c.read(1)?
  if kind == "f" {
    _, err := c.read_line()
    codes <- err.code
  } else if kind == "n" {
    c.stall(50ms)
    err := nil
    for err == nil { err = c.write(bytes(1 << 20)) }
    codes <- err.code
  } else {
    c.write("other clients are served")?
  }
})
println(<-codes)
println(<-codes)
sleep(20s)  // the peer ends it
END
cat > peer.py << 'END'
import socket, subprocess, sys
program = subprocess.Popen([sys.argv[1], "--max-memory", "64", "script.csp"],
                           stdout=subprocess.PIPE, text=True)
host, port = program.stdout.readline().split(":")
address = host, int(port)
def connect(kind):
    c = socket.create_connection(address)
    c.sendall(kind)
    return c
c = connect(b"f")
try:
    for _ in range(200):
        c.sendall(b"x" * 1000000)
except OSError:
    pass
print(program.stdout.readline(), end="")
idle = connect(b"n")
print(program.stdout.readline(), end="")
text = b""
c = connect(b"?")
while part := c.recv(100):
    text += part
print(text.decode())
program.kill()
program.wait()
END
python3 peer.py "$CSPVM"
