# Lists and maps, too.
# expect error: nested too deeply
awk 'BEGIN { printf "x := "; for (i = 0; i < 50000; i++) printf "[{a: " }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
