# A test that is ended by a signal fails; what it started ends with it, whether
# it passed or not.
# expect: FAIL a_test.csp:2: test_crash
# expect:     ended by signal 9 (Killed)
# expect:     | before
# expect: 1 passed, 1 failed
# expect: ended
cd "$TMPDIR"
cat > a_test.csp << 'END'
import "os"
func test_crash() {
  println("before")
  sleep(1ms)
  os.run("sh", ["-c", "kill -KILL $PPID"])
}
func test_leaves_one() {
  os.run("sh", ["-c", "sleep 1000 > /dev/null 2>&1 & echo $! > pid"])
}
END
"$CSPVM" test
pid=$(cat pid)
# A zombie that nobody has reaped yet has ended, too.
until ! [ -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status"; do
  sleep 0.01
done
echo ended
