# Functions in functions, too.
# expect error: nested too deeply
awk 'BEGIN { for (i = 0; i < 50000; i++) print "func() {" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
