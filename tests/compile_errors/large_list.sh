# A literal with many elements is compiled.
# expect: 20000 19999
awk 'BEGIN { printf "xs := ["; for (i = 0; i < 20000; i++) printf "%d, ", i
  print "]\nprintln(len(xs), xs[19999])" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
