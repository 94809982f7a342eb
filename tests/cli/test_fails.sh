# How tests fail, each with the usual report: a panic, one in a goroutine, an
# error as last result, a deadlock, the end of the program.
# expect: FAIL a_test.csp:3: test_panic
# expect:     | said before
# expect:     | panic: assertion failed: x is small
# expect:     |
# expect:     | goroutine 1 [running]:
# expect:     |   check at a_test.csp:2:23
# expect:     |   test_panic at a_test.csp:5:8
# expect:     |   main at a_test.csp:3:6
# expect: FAIL a_test.csp:7: test_goroutine
# expect:     | panic: in a goroutine
# expect:     |
# expect:     | goroutine N [running]:
# expect:     |   func@8 at a_test.csp:8:13
# expect:     |   created at a_test.csp:8:6
# expect: FAIL a_test.csp:11: test_error
# expect:     | error: outer
# expect:     |   test_error at a_test.csp:11:36
# expect:     |   caused by: inner
# expect:     |   test_error at a_test.csp:11:58
# expect:     |   at a_test.csp:11:6
# expect: FAIL a_test.csp:13: test_passed_on
# expect:     | error: of fails
# expect:     |   fails at a_test.csp:12:33
# expect:     |   test_passed_on at a_test.csp:13:32
# expect:     |   at a_test.csp:13:6
# expect: FAIL a_test.csp:14: test_deadlock
# expect:     | deadlock: all goroutines are asleep
# expect:     |
# expect:     | goroutine 1 [chan receive]:
# expect:     |   test_deadlock at a_test.csp:14:24
# expect:     |   main at a_test.csp:14:6
# expect: FAIL a_test.csp:15: test_exit
# expect:     | test_exit has not returned: the program ended before (by os.exit, or a return at the top level)
# expect: FAIL a_test.csp:16: test_exit_1
# expect:     exit status 1
# expect: FAIL a_test.csp:17: test_exit_7
# expect:     exit status 7
# expect:     | so
# expect: FAIL b_test.csp:1: test_never
# expect:     | panic: at the top
# expect:     |
# expect:     | goroutine 1 [running]:
# expect:     |   main at b_test.csp:2:6
# expect: FAIL c_test.csp:1: test_deferred
# expect:     | panic: afterwards
# expect:     |
# expect:     | goroutine 1 [running]:
# expect:     |   main at c_test.csp:1:6
# expect: FAIL d_test.csp:1: test_skipped
# expect:     | test_skipped has not returned: the program ended before (by os.exit, or a return at the top level)
# expect: 1 passed, 11 failed
# expect: status 1
cd "$TMPDIR"
cat > a_test.csp << 'END'
import "os"
func check(x) { assert(x < 3, "x is small") }
func test_panic() {
  println("said before")
  check(4)
}
func test_goroutine() {
  go { panic("in a goroutine") }
  sleep(1h)
}
func test_error() { return 1, error("outer", cause: error("inner")) }
func fails() { return nil, error("of fails") }
func test_passed_on() { fails()? }
func test_deadlock() { <-chan() }
func test_exit() { os.exit() }
func test_exit_1() { os.exit(1) }
func test_exit_7() { println("so"); os.exit(7) }
func test_after() { }
END
printf 'func test_never() { }\npanic("at the top")\n' > b_test.csp
printf 'func test_deferred() { }\ndefer panic("afterwards")\n' > c_test.csp
printf 'func test_skipped() { }\nfunc f() { return true }\nif f() { return }\n' > d_test.csp
"$CSPVM" test > out
status=$?
sed 's/goroutine [1-9][0-9][0-9]* /goroutine N /; s/goroutine [2-9] /goroutine N /' out
echo "status $status"
