# A server that says a row has 1 GB, and sends as fast as it can. With a limit
# of memory little more than half of that is taken. (libpq reads a socket until
# nothing is in it: that took 2 GB.)
# timeout: 120
# small: CSPDEBUG=
# expect: memory
# expect: memory
# expect: below 300 MB
cat > "$TMPDIR/server.py" << 'END'
import os, socket, subprocess, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
ANSWERS = (b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", b"C\0\0\0\x08SET\0Z\0\0\0\x05I",
           b"T\0\0\0\x1b\0\1xx\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0"
           b"D\x3f\xff\xff\xff\0\1\x3f\xff\xff\0")
def serve(c):
    try:
        for answer in ANSWERS:
            if not c.recv(1000): return
            c.sendall(answer)
        piece = bytes(1 << 22)
        while True: c.sendall(piece)
    except OSError:
        pass
    finally:
        c.close()
def accept():
    while True:
        threading.Thread(target=serve, args=listener.accept()[:1], daemon=True).start()
threading.Thread(target=accept, daemon=True).start()
subprocess.run([*sys.argv[1:], str(listener.getsockname()[1])])
END
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "postgres"
import "strings"
port := os.args[0]
for _ in 2 {
  fake := postgres.open("postgresql://ada@127.0.0.1:${port}/x?sslmode=disable")?
  _, err := fake.exec("x")
  println(err.code)
  fake.close()
}
for line in os.read_file("/proc/self/status")?.lines() {
  if line.has_prefix("VmHWM") {
    kb := strings.parse_int(line.fields()[1])?
    println((if kb < 300_000 { "below 300 MB" } else { "${kb} KB" }))
  }
}
END
# (A sanitizer keeps what was freed.)
case $(nm "$CSPVM") in
*__asan* | *__tsan*) hide='s/^[0-9]* KB$/below 300 MB/' ;;
*) hide= ;;
esac
python3 "$TMPDIR/server.py" "$CSPVM" --max-memory 64 "$TMPDIR/a.csp" | sed "$hide"
