# A zero byte ends no input: what follows it on the line is not lost.
# expect: 3
# expect: "a\x00b"
# expect: 7
# expect: 8
# expect: 5 inputs written to saved
# expect: println(3)
# expect: // "a.b"
# expect: // x.y
# expect: // 7
# expect: // 7 + 1 // z.
# expect stderr: repl[1]:1:11: error: unexpected byte \x00
# expect stderr: error: unexpected `println`, expected a new line
# expect exit: 1
cd "$TMPDIR" || exit
printf 'println(1)\0println(2)\nprintln(3)\n"a\0b"\n// x\0y\n7\n7 + 1 // z\0\n:save saved\n' | "$CSPVM"
status=$?
tr '\0' . < saved
exit $status
