# A file that does not compile, cannot be read, or has a directive that makes no
# sense is told of; the others are tested. Exit status 2.
# expect: FAIL a_test.csp
# expect:     a_test.csp:1:17: error: `nothing` is not declared
# expect:         func test_a() { nothing() }
# expect:                         ^~~~~~~
# expect: FAIL b_test.csp
# expect:     b_test.csp:1: `// repeat:` needs a number from 1 to 1000000, not `often`
# expect: SKIP c_test.csp: not today
# expect: FAIL missing.csp
# expect:     cannot read it: No such file or directory
# expect: 1 passed, 0 failed, 1 skipped, 3 not tested
# expect: status 2
cd "$TMPDIR"
echo 'func test_a() { nothing() }' > a_test.csp
printf '@@ repeat: often\nfunc test_b() { }\n' > b_test.csp
printf '@@ skip: not today\nfunc test_c() { }\n' > c_test.csp
echo 'func test_d() { }' > d_test.csp
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test . missing.csp
echo "status $?"
