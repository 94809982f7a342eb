# A peer that sends byte by byte, half-closes, resets, or ends within a line.
# expect: line one
# expect: {"a": 1}
# expect: nil
# expect: the answer
# expect: closed rest
# expect: reset
cd "$TMPDIR" || exit 1
cat > peer.py << 'END'
import socket, struct, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print("%s:%d" % listener.getsockname(), flush=True)
c, _ = listener.accept()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for byte in b'line one\r\n{"a": 1}--end--':
    c.send(bytes([byte]))
    time.sleep(0.0005)
c.shutdown(socket.SHUT_WR)
assert c.recv(100) == b"the question"
c.close()
c, _ = listener.accept()
c.sendall(b"the answer\nrest")
c.close()
c, _ = listener.accept()
c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
c.recv(1)
c.close()
END
cat > script.csp << 'END'
import "net"
import "os"
address := os.read_line()?
c := net.dial(address)?
println(c.read_line()?)
println(c.read_until("--end--")?)
println(c.read()?)
c.write("the question")?
c.close()
c = net.dial(address)?
println(c.read_line()?)
_, err := c.read_line()
println(err.code, c.read()?)
c = net.dial(address)?
c.write("x")?
_, err = c.read()
println(err.code)
END
python3 peer.py | "$CSPVM" script.csp
