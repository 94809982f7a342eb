# cspvm test runs each function test_... without parameters in a process of its
# own, after the file's top level; -v shows all, with their output. Methods,
# other names, functions with parameters and folders that begin with a dot hold
# no tests.
# expect: ok   a_test.csp:4: test_first
# expect:     | top
# expect:     | one 1
# expect:     | end
# expect: ok   a_test.csp:8: test_second
# expect:     | top
# expect:     | two 1
# expect:     | end
# expect: ok   a_test.csp:12: test_value
# expect:     | top
# expect:     | end
# expect: ok   sub/b_test.csp:1: test_nil
# expect: ok   sub/c_test.csp
# expect:     | only the top level
# expect: 5 passed, 0 failed
# expect: status 0
# expect: 5 passed, 0 failed
cd "$TMPDIR" && mkdir sub .hidden
cat > a_test.csp << 'END'
println("top")
defer println("end")
var n = 0
func test_first() {
  n++
  println("one", n)
}
func test_second() {
  n++
  println("two", n)
}
func test_value() => 5
func test_with(x) { panic("not a test") }
func test_default(x = 1) { panic("not a test") }
func _test_private() { panic("not a test") }
func testing() { panic("not a test") }
struct S { x = 1 }
func (s S) test_method() { panic("not a test") }
END
echo 'func test_nil() { return 1, nil }' > sub/b_test.csp
echo 'println("only the top level")' > sub/c_test.csp
echo 'panic("not a test")' > sub/other.csp
echo 'panic("not a test")' > .hidden/d_test.csp
"$CSPVM" test -v > out
echo "status $?" >> out
sed 's/ ([0-9.]* s)$//' out
"$CSPVM" test a_test.csp sub . sub/b_test.csp
