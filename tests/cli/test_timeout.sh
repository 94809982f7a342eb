# A test that does not end is asked for a dump of its goroutines, and ended;
# one that cannot answer is killed. The others are not disturbed.
# expect: FAIL a_test.csp:2: test_endless
# expect:     timed out after 1 s
# expect:     | before
# expect:     | SIGQUIT: quit
# expect: has spin
# expect: FAIL a_test.csp:6: test_waits
# expect:     timed out after 1 s
# expect:     | SIGQUIT: quit
# expect: has sleep
# expect: FAIL b.csp
# expect:     timed out after 0.3 s
# expect: FAIL c_test.csp:3: test_stopped
# expect:     timed out after 0.3 s
# expect: 1 passed, 4 failed
# expect: status 1
cd "$TMPDIR"
cat > a_test.csp << 'END'
func spin() { for { } }
func test_endless() {
  println("before")
  spin()
}
func test_waits() { sleep(1h) }
END
printf '@@ timeout: 0.3\nprintln("a") @@ expect: b\nsleep(1h)\n' > b.csp
cat > c_test.csp << 'END'
@@ timeout: 0.3
import "os"
func test_stopped() { os.run("sh", ["-c", "kill -STOP $PPID"]) }
END
printf '@@ timeout: 100\nfunc test_fine() { }\n' > d_test.csp
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test --timeout 1s --jobs 4 > out
status=$?
awk '/^FAIL/ { file = $2 }
  /spin at a_test.csp:1:/ { print "has spin" }
  /\[sleep[,\]]/ && !n++ { print "has sleep" }
  /^FAIL|timed|passed/ || file ~ /^a/ && /before|SIGQUIT/' out
echo "status $status"
