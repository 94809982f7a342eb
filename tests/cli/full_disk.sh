# A standard output, or error, that cannot take more.
# expect: status 1, message: yes
# expect: status 1
"$CSPVM" -e 'for i in 100000 { println("line", i) }' > /dev/full 2> "$TMPDIR/err"
status=$?
[ -s "$TMPDIR/err" ] && message=yes || message=no
echo "status $status, message: $message"
"$CSPVM" -e 'import "fmt"; fmt.eprintln("lost")' 2> /dev/full
echo "status $?"
# So does `cspvm test`, while it runs.
# expect: test: status 1, cannot write standard output
# So do the commands, whatever they print.
# expect: --help: status 1, cannot write standard output
# expect: --version: status 1, cannot write standard output
# expect: fmt --help: status 1, cannot write standard output
# expect: doc strings.split: status 1, cannot write standard output
# expect: test --help: status 1, cannot write standard output
echo 'func test_a() {}' > "$TMPDIR/a_test.csp"
"$CSPVM" test -v "$TMPDIR" > /dev/full 2> "$TMPDIR/err"
echo "test: status $?, $(grep -o 'cannot write standard output' "$TMPDIR/err")"
for words in --help --version 'fmt --help' 'doc strings.split' 'test --help'; do
  "$CSPVM" $words > /dev/full 2> "$TMPDIR/err"
  echo "$words: status $?, $(grep -o 'cannot write standard output' "$TMPDIR/err")"
done
