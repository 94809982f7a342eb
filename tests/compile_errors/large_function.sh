# A function with thousands of statements and constants is compiled.
# expect: 12497500 4999
awk 'BEGIN {
  print "func f() {\n  n := 0\n  s := \"\""
  for (i = 0; i < 5000; i++) printf "  n += %d\n  s = \"%d\"\n", i, i
  print "  return n, s\n}\nprintln(f())" }' > "$TMPDIR/a.csp"
exec "$CSPVM" "$TMPDIR/a.csp"
