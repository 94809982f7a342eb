# A file on which another process has a lease is opened when that has given it
# back: nonblocking opening would only ask for it.
# expect: text nil
cat > "$TMPDIR/lease.py" <<"P"
import fcntl, os, signal, sys, time
fd = os.open(sys.argv[1] + "/file", os.O_RDWR)
def give_back(number, frame):
    time.sleep(0.05)
    os.write(fd, b"text")
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    sys.exit(0)
signal.signal(signal.SIGIO, give_back)
try:
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
except OSError:  # a file system without leases
    os.write(fd, b"text")
    sys.exit(0)
finally:
    open(sys.argv[1] + "/ready", "w").close()
while True:
    signal.pause()
P
touch "$TMPDIR/file"
python3 "$TMPDIR/lease.py" "$TMPDIR" &
until [ -e "$TMPDIR/ready" ]; do sleep 0.01; done
"$CSPVM" -e 'import "os"
println(os.read_file(os.args[0] + "/file"))' "$TMPDIR"
wait
