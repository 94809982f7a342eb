# --one runs a single function in this process.
# expect: args ["x", "--run"]
# expect: status 0
# expect: status 1
# expect: status 2
# expect stderr: panic: oh
# expect stderr: there is no function `test_c` at the top level that takes no parameters
cd "$TMPDIR"
cat > a_test.csp << 'END'
import "os"
func test_a() { println("args", os.args) }
func test_b() { panic("oh") }
END
"$CSPVM" test --one=test_a a_test.csp x --run
echo "status $?"
"$CSPVM" test --one=test_b a_test.csp
echo "status $?"
"$CSPVM" test --one=test_c a_test.csp
echo "status $?"
