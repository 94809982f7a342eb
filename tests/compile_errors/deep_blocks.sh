# Blocks, too.
# expect error: nested too deeply
awk 'BEGIN { for (i = 0; i < 100000; i++) print "if true {" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
