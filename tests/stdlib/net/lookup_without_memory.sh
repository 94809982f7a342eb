# Memory is out where a name is looked up. The goroutine that calls for all who
# ask panicked, and that ended the program. Or it left a lock that nobody could
# unlock any more.
# timeout: 100
# small: CSPDEBUG=
# expect: all have ended
# expect: later: nil
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "net"
ballast := nil
func fill_with(size) { for { ballast = (ballast, bytes(size)) } }
func ask() => net.lookup("localhost")
for round in 400 {
  spare := nil
  for _ in round { spare = (spare, bytes(300)) }
  for size in [50_000, 5000, 500, 50, 1] { _ = try(fill_with, size) }
  spare = nil
  _, err := try(ask)
  ballast = nil
  if err != nil && err.code != "memory" { println(err) }
}
println("all have ended")
_, err := net.lookup("localhost")
println("later:", err)
END_OF_SCRIPT
"$CSPVM" --max-memory 4 script.csp
