# Unary operators, too.
# expect error: nested too deeply
awk 'BEGIN { printf "x := "; for (i = 0; i < 100000; i++) printf "!"; print "1" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
