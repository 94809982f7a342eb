# Nesting deeper than the compiler can take is a clean error.
# expect error: nested too deeply
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "("; print "1" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
