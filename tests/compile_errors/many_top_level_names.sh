# A script with thousands of top-level names.
# expect: 7 4999
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x%d := %d\n", i, i
  for (i = 0; i < 2000; i++) printf "func f%d() { return x%d }\n", i, i
  print "println(f7(), x4999)" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
