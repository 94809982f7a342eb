# Where the text does not fit the grammar, nobody knows what is used there. So
# check does not warn of names that are never used.
# expect: status 2
# expect stderr: a.csp:3:12: error: unexpected keyword `if`, expected an expression or `]`
# expect: nothing else
printf 'func f() {\n  x := 1\n  println([if x { 2 } else { 3 }])\n}\nf()\n' > "$TMPDIR/a.csp"
cd "$TMPDIR" || exit 1
"$CSPVM" check a.csp 2> out
echo "status $?"
cat out >&2
grep -q 'never used' out || echo "nothing else"
