# check reports compile errors.
# expect error: nothing
echo 'println(nothing)' > "$TMPDIR/a.csp"
exec "$CSPVM" check "$TMPDIR/a.csp"
