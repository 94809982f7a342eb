# Tests run at once, but are told of in their order. The first three wait for
# the last one.
# expect: ok   a_test.csp:3: test_1
# expect: ok   a_test.csp:4: test_2
# expect: ok   a_test.csp:5: test_3
# expect: ok   a_test.csp:6: test_4
# expect: 4 passed, 0 failed
cd "$TMPDIR"
cat > a_test.csp << 'END'
import "os"
func wait() { for !os.exists("done") { sleep(1ms) } }
func test_1() { wait() }
func test_2() { wait() }
func test_3() { wait() }
func test_4() { return os.write_file("done", "") }
END
"$CSPVM" test -v --jobs 4 | sed 's/ ([0-9.]* s)$//'
