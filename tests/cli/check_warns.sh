# check warns about names that are never used; the script is still right.
# expect: status 0
# expect stderr: unused_name
printf 'func f() {\n  unused_name := 1\n}\nf()\n' > "$TMPDIR/a.csp"
"$CSPVM" check "$TMPDIR/a.csp"
echo "status $?"
