# When nobody reads the report any more, the tests that run are ended.
# expect: FAIL a_test.csp:2: test_a
# expect: ended
cd "$TMPDIR"
cat > a_test.csp << 'END'
import "os"
func test_a() { panic("shown") }
func test_b() {
  for !os.exists("read") { sleep(1ms) }
  panic("nobody sees it")
}
func test_c() {
  os.write_file("pid.new", str(os.pid()))
  os.rename("pid.new", "pid")
  for { sleep(1s) }
}
END
"$CSPVM" test --timeout 1h --jobs 2 | { sed 1q; exec <&-; : > read; }
[ -e "/proc/$(cat pid 2> /dev/null || echo none)" ] || echo ended
