# Each address of a name is dialled by a goroutine of its own. Where none can be
# had, that is an error with a code. It was a panic.
# expect: limit cannot connect to 127.0.0.1:1: too many goroutines: the limit is 5
# expect: later: refused
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "dns"
import "net"
free := chan()
held := []
for _ in 4 { held.push(go { <-free }) }
_, err := net.dial("localhost:1")
println(err.code, err)
close(free)
for task in held { <-task }
_, err = net.dial("localhost:1")
println("later:", err.code)
END_OF_SCRIPT
"$CSPVM" --max-goroutines 5 script.csp
