# check compiles only.
# expect: status 0
echo 'println("never")' > "$TMPDIR/a.csp"
"$CSPVM" check "$TMPDIR/a.csp"
echo "status $?"
