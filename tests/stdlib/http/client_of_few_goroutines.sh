# A goroutine sends a long body, and another one closes kept connections. Where
# the first cannot be had, that is an error with a code. It was a panic. Where
# the second cannot be had, the connection is closed. The reply was lost.
# expect: reply: 10 nil
# expect: limit
# expect: too many goroutines: the limit is 5
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
listener := net.listen("127.0.0.1:0")?
os.write_file("new", listener.address())?
os.rename("new", "address")?
http.serve(listener, func(request) => str(len(request.bytes()?)))?
END_OF_SCRIPT
cat > script.csp << 'END_OF_SCRIPT'
import "http"
import "os"
free := chan()
for _ in 4 { go { <-free } }
url := "http://${os.read_file("address")?}/"
func length_of(body) => http.post(url, body)?.text()?
text, err := try(length_of, "0123456789")
println("reply:", text, err)
_, err = try(length_of, "x".repeat(100_000))
println(err.code)
println(err.message.trim_prefix("POST ${url}: "))
END_OF_SCRIPT
"$CSPVM" server.csp & server=$!
disown
trap 'kill $server' EXIT
until [ -s address ]; do sleep 0.01; done
"$CSPVM" --max-goroutines 5 script.csp
