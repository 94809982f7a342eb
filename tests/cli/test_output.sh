# However much a test writes, it can go on writing, and the report shows how it
# began and ended.
# expect: FAIL a_test.csp:1: test_long
# expect:     | begin
# expect:     ... 2983627 more bytes ...
# expect:     | end
# expect:     | panic: over
# expect: FAIL b.csp
# expect:     standard output has more than 2 MB
# expect: FAIL c_test.csp:2: test_for_ever
# expect:     timed out after 1 s
# expect: flood
# expect:     | SIGQUIT: quit
# expect: 0 passed, 3 failed
# expect exit: 0
cd "$TMPDIR"
cat > a_test.csp << 'END'
func test_long() {
  println("begin")
  println("x".repeat(3_000_000))
  println("end")
  panic("over")
}
END
cat > b.csp << 'END'
@@ expect: x
for i in 5 { println("x".repeat(1_000_000)) }
END
cat > c_test.csp << 'END'
@@ timeout: 1
func test_for_ever() { for { println("flood") } }
END
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test > out
awk '/FAIL c/ { c = 1 } /\| flood/ && !n++ { print "flood" } /more bytes/ && c { next }
  /^FAIL|timed|begin$|end$|panic|SIGQUIT|more|passed/' out
