# A name is looked up by a goroutine of its own. Where none can be had, that is
# an error with a code. It was a panic.
# expect: lookup: limit cannot look up "localhost": too many goroutines: the limit is 5
# expect: dial: limit cannot look up "localhost": too many goroutines: the limit is 5
# expect: get: limit GET http://localhost/: cannot look up "localhost": too many goroutines: the limit is 5
# expect: later: nil
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "net"
free := chan()
held := []
for _ in 4 { held.push(go { <-free }) }
_, err := net.lookup("localhost")
println("lookup:", err.code, err)
_, err = net.dial("localhost:80")
println("dial:", err.code, err)
_, err = http.get("http://localhost/")
println("get:", err.code, err)
close(free)
for task in held { <-task }
_, err = net.lookup("localhost")
println("later:", err)
END_OF_SCRIPT
"$CSPVM" --max-goroutines 5 script.csp
