# Each test has an empty folder of its own as TMPDIR, the arguments, variables
# and input that the file asks for, and runs as often as it is told to.
# expect: ok   a_test.csp:5: test_folder --procs 1
# expect: ok   a_test.csp:5: test_folder --procs 2
# expect: ok   a_test.csp:9: test_given --procs 1
# expect: ok   a_test.csp:9: test_given --procs 2
# expect: 4 passed, 0 failed
# expect: 4 passed, 0 failed
# expect: 12 passed, 0 failed
cd "$TMPDIR"
cat > a_test.csp << 'END'
@@ args: a 'b  c'  env: NAME=not this one
import "os"
@@ env: NAME=of this test
@@ stdin: a line
func test_folder() {
  assert(equal(os.list_dir(os.env("TMPDIR"))?, []))
  os.write_file(os.env("TMPDIR") + "/file", "")?
}
func test_given() {
  assert(os.args[:2].join("|") == "a|b  c")
  assert(os.env("NAME") == "of this test")
  line, err := os.read_line()
  assert(err == nil && line == "a line")
}
@@ procs: 1,2
END
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test -v | sed 's/ ([0-9.]* s)$//'
"$CSPVM" test --repeat 2 --procs 3
"$CSPVM" test --repeat 3
