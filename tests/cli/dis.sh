# dis prints bytecode.
# expect: printed
printf 'func f(a) { return a + 1 }\nprintln(f(1))\n' > "$TMPDIR/a.csp"
"$CSPVM" dis "$TMPDIR/a.csp" > "$TMPDIR/out" || echo "status $?"
[ "$(wc -l < "$TMPDIR/out")" -gt 5 ] && echo printed
