# Files with expect lines are run whole; the report shows where they differ.
# expect: ok   good.csp
# expect: ok   good_error.csp
# expect: ok   good_unordered.csp
# expect: ok   whole.csp
# expect: FAIL bad_exit.csp
# expect:     exit status 0, 4 expected
# expect: FAIL bad_line.csp
# expect:     standard output differs in line 3 (- expected, + got):
# expect:       one
# expect:       two
# expect:     - three
# expect:     - four
# expect:     + 3\x20
# expect:     + four\r
# expect: FAIL bad_missing.csp
# expect:     standard output differs in line 1 (- expected, + got):
# expect:     - a
# expect:     + (the end)
# expect: FAIL bad_stderr.csp
# expect:     exit status 1, 0 expected
# expect:     nothing was expected on standard error
# expect:     standard error:
# expect:     | panic: oh
# expect:     |
# expect:     | goroutine 1 [running]:
# expect:     |   main at bad_stderr.csp:2:6
# expect: FAIL bad_unordered.csp
# expect:     standard output has no line: b
# expect:     standard output differs in line 1 (- expected, + got):
# expect:     - (the end)
# expect:     + a
# expect: 0 passed, 5 failed
# expect exit: 1
cd "$TMPDIR"
cat > good.csp << 'END'
@@ args: a "b c"
@@ stdin: first
@@ stdin: second
@@ env: NAME=value
@@ procs: 2
@@ repeat: 2
import "os"
println(os.args, os.env("NAME")) @@ expect: ["a", "b c"] value
text, err := os.read_all_stdin()
print(text) @@ expect: first
@@ expect: second
END
printf 'println(nothing) @@ expect error line 1: nothing\n' > good_error.csp
printf 'println("x") @@ expect unordered: x\npanic("oh") @@ expect runtime error: oh\n' > good_unordered.csp
echo 'println("hello")' > whole.csp
echo hello > whole.expected
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test -v good.csp good_error.csp good_unordered.csp whole.csp |
  sed 's/ ([0-9.]* s)$//; /good.csp/s/ --procs 2//; /passed/d' | uniq
rm good* whole*
echo '@@ expect exit: 4' > bad_exit.csp
cat > bad_line.csp << 'END'
println("one\ntwo\n3 \nfour\r")
@@ expect: one
@@ expect: two
@@ expect: three
@@ expect: four
END
echo '@@ expect: a' > bad_missing.csp
printf '@@ expect exit: 0\npanic("oh")\n' > bad_stderr.csp
printf 'println("a") @@ expect unordered: b\n' > bad_unordered.csp
sed -i 's,@@,//,' *.csp  # tests/run would take them for its own
"$CSPVM" test
