# os.signals works in a test, too; what it does not take over ends the test.
# expect: status 1
# expect: FAIL a_test.csp:7: test_not_taken
# expect:     ended by signal 15 (Terminated)
# expect: 1 passed, 1 failed
cd "$TMPDIR" || exit 1
cat > a_test.csp << 'END'
import "os"
func test_taken() {
  signals := os.signals("TERM")?
  os.run("kill", ["-TERM", str(os.pid())])?
  assert(<-signals == "TERM")
}
func test_not_taken() {
  os.run("kill", ["-TERM", str(os.pid())])
  sleep(1h)
}
END
"$CSPVM" test > out 2>&1
echo "status $?"
cat out
