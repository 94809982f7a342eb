# Standard input may be a socket that never waits. Writing it waits all the
# same, until the other end has room, and what was read ahead stays.
# expect: one
# expect: write nil, flush nil
# expect: many small ones: nil
# expect: two
# expect: 3300000 bytes
cat > "$TMPDIR/a.csp" <<"S"
import "os"
println(os.read_line()?)
err := os.stdin.write("x".repeat(3000000))
println("write ${err}, flush ${os.stdin.flush()}")
func write_many() {
  for i in 100 {
    err := os.stdin.write("x".repeat(3000))
    if err != nil { return err }
  }
  return os.stdin.flush()
}
println("many small ones:", write_many())
println(os.read_line()?)
S
python3 - "$CSPVM" "$TMPDIR/a.csp" <<"P"
import socket, subprocess, sys
ours, theirs = socket.socketpair()
theirs.setblocking(False)
ours.sendall(b"one\ntwo\n")
child = subprocess.Popen(sys.argv[1:], stdin=theirs.fileno())
theirs.close()
got = 0
while data := ours.recv(65536):
    got += len(data)
child.wait()
print(got, "bytes")
P
