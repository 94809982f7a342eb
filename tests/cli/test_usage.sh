# Wrong words on the command line, and nothing to test: a message, and exit
# status 2.
# expect: cspvm test: unknown option `--nonsense`
# expect: cspvm test: unknown option `-`
# expect: cspvm test: --timeout needs a duration such as 300ms, 10s or 2m, not `10`
# expect: cspvm test: --jobs needs a number from 1 to 200, not `0`
# expect: cspvm test: --procs needs a number from 1 to 1024, not `x`
# expect: cspvm test: --run needs a regular expression, not `(`: Unmatched ( or \(
# expect: cspvm test: --repeat needs a value after it
# expect: cspvm test: --one needs a file
# expect: cspvm test: no tests found
# expect: usage: cspvm test [options] [files or folders...]
cd "$TMPDIR"
try() {
  "$CSPVM" test "$@" > out 2> err
  status=$?
  [ $status = 2 ] && ! [ -s out ] && grep -q 'cspvm test --help' err || echo "status $status"
  head -1 err
}
try --nonsense
try -
try --timeout 10
try --jobs 0
try --procs 1,x
try --run '('
try --repeat
try --one=test_x
try
"$CSPVM" test --help | head -1
