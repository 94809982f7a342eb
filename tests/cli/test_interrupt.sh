# A signal that ends cspvm test ends the tests, too, and removes their folders.
# expect: status 143
# expect: ended
# expect: nothing left
cd "$TMPDIR" && mkdir tmp
cat > a_test.csp << 'END'
import "os"
func test_endless() {
  os.write_file("pid.new", str(os.pid()))
  os.rename("pid.new", "pid")
  for { }
}
END
TMPDIR="$TMPDIR/tmp" "$CSPVM" test > out &
until [ -e pid ]; do sleep 0.01; done
kill -TERM $!
wait $!
echo "status $?"
[ -e "/proc/$(cat pid)" ] || echo ended
[ -z "$(ls tmp)" ] && echo nothing left
