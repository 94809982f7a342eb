# A map literal with many elements is compiled.
# expect: 5000 4999
awk 'BEGIN { printf "m := {"; for (i = 0; i < 5000; i++) printf "k%d: %d, ", i, i
  print "}\nprintln(len(m), m.k4999)" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
