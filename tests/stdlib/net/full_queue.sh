# A Unix socket whose queue is full is tried until there is room, or the time is
# over.
# expect: timeout
# expect: nil
cd "$TMPDIR" || exit 1
cat > peer.py << 'END'
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
listener.listen(0)
print("ready", flush=True)
sys.stdin.readline()
listener.accept()
listener.accept()
sys.stdin.readline()
END
cat > script.csp << 'END'
import "net"
import "os"
os.read_line()?
first := net.dial("unix:socket")?
_, err := net.dial("unix:socket", timeout: 30ms)
os.write_file("/dev/stderr", "${err.code}\n")
dialled := go net.dial("unix:socket")
sleep(5ms)
println()
_, err = <-dialled
os.write_file("/dev/stderr", "${err}\n")
println()
END
mkfifo back
python3 peer.py < back | "$CSPVM" script.csp 2>&1 > back
