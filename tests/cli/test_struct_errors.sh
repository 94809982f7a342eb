# A struct with a method `error` fails a test as an error does, with its type
# and fields. Another struct is a value like any other.
# expect: FAIL a_test.csp:5: test_struct
# expect:     | error: bad 3
# expect:     |   Bad(n: 3)
# expect:     |   at a_test.csp:5:6
# expect: FAIL a_test.csp:6: test_last_of_two
# expect:     | error: bad 2
# expect:     |   Bad(n: 2)
# expect:     |   at a_test.csp:6:6
# expect: FAIL a_test.csp:7: test_passed_on
# expect:     | error: bad 1
# expect:     |   Bad(n: 1)
# expect:     |   at a_test.csp:7:6
# expect: 1 passed, 3 failed
# expect: status 1
cd "$TMPDIR"
cat > a_test.csp << 'END'
struct Bad { n }
func (b Bad) error() => "bad ${b.n}"
struct Plain { n }
func fails(n) { if n > 0 { return nil, Bad(n) }; return 1, nil }
func test_struct() { return Bad(3) }
func test_last_of_two() { return fails(2) }
func test_passed_on() { x := fails(1)?; return x }
func test_plain() { return Plain(3) }
END
"$CSPVM" test
echo "status $?"
