# A dial by TCP that nobody answers is given up after its time: the queue of the
# listener is full, so the system drops what would connect.
# needs: python3
# expect: timeout true cannot connect to PEER: nothing happened for 0.05s
# expect: by name: timeout
# expect: in a group: timeout
# expect: nothing is left: true
python3 tests/stdlib/net/lib/full.py > "$TMPDIR/address" & peer=$!
disown
trap 'kill $peer' EXIT
cd "$TMPDIR" || exit 1
cat > script.csp << 'END'
import "net"
import "os"
import "time"
full := os.args[0]
func descriptors() {
  names, _ := os.list_dir("/proc/self/fd")
  return len(names)
}
_, err := net.dial(full, timeout: 1ms)  // what is made once is there now
before, begun := descriptors(), time.monotonic()
_, err = net.dial(full, timeout: 50ms)
println(err.code, time.monotonic() - begun >= 50ms, err.message.replace(full, "PEER"))
_, err = net.dial(full.replace("127.0.0.1", "localhost"), timeout: 20ms)
println("by name:", err.code)
_, err = time.limit(20ms, func() => net.dial(full, timeout: 0))
println("in a group:", err.code)
println("nothing is left:", descriptors() <= before)
END
until [ -s address ]; do sleep 0.01; done
"$CSPVM" script.csp "$(cat address)"
