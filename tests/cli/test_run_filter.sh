# --run takes the tests whose name, or whose file's path, holds what the regular
# expression matches.
# expect: ok   a_test.csp:1: test_send
# expect: ok   a_test.csp:2: test_send_twice
# expect: 2 passed, 0 failed
# expect: ok   a_test.csp:1: test_send
# expect: 1 passed, 0 failed
# expect: ok   a_test.csp:3: test_close
# expect: ok   b_test.csp:1: test_other
# expect: 2 passed, 0 failed
# expect: status 2
# expect stderr: cspvm test: no tests found for `nothing`
cd "$TMPDIR"
printf 'func test_send() { }\nfunc test_send_twice() { }\nfunc test_close() { }\n' > a_test.csp
echo 'func test_other() { }' > b_test.csp
for pattern in send '^test_send$' 'close|^b_'; do
  "$CSPVM" test -v --run "$pattern" | sed 's/ ([0-9.]* s)$//'
done
"$CSPVM" test --run nothing
echo "status $?"
