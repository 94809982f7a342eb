# Descriptors 0 to 2 closed at the start, as some daemons do: no file that the
# script or the runtime opens becomes one of them.
# expect: status 1, file: precious data
# expect: status 0, trace: one event or more, no line of the script
# expect: status 1, test file: precious data
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "fmt"
f := os.open(os.args[0], "w+")?
f.write("precious data\n")
f.flush()
fmt.eprintln("a log line")
panic("boom")
END
"$CSPVM" "$TMPDIR/a.csp" "$TMPDIR/victim" <&- >&- 2>&-
echo "status $?, file: $(cat "$TMPDIR/victim")"

CSPDEBUG=trace=$TMPDIR/trace "$CSPVM" -e 'import "fmt"; fmt.eprintln("a log line")' \
  <&- >&- 2>&-
status=$?
[ -s "$TMPDIR/trace" ] && events="one event or more" || events=none
grep -q 'a log line' "$TMPDIR/trace" && line="a" || line="no"
echo "status $status, trace: $events, $line line of the script"

mkdir "$TMPDIR/tests"
cat > "$TMPDIR/tests/a_test.csp" << 'END'
import "os"
import "fmt"
func test_file() {
  f := os.open(os.env("VICTIM"), "w+")?
  f.write("precious data\n")
  f.flush()
  fmt.eprintln("a log line")
  panic("boom")
}
END
# (Nobody can be told why.)
VICTIM=$TMPDIR/other "$CSPVM" test "$TMPDIR/tests" <&- >&- 2>&-
echo "status $?, test file: $(cat "$TMPDIR/other")"
