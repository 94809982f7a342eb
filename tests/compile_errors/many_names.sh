# Many local names: compiled, or an error that says so.
# expect: clean
awk 'BEGIN { print "func f() {"; for (i = 0; i < 1000; i++) printf "  x%d := %d\n", i, i
  print "  println(x0 + x999)\n}\nf()" }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" > "$TMPDIR/out" 2> "$TMPDIR/err"
status=$?
case "$status:$(cat "$TMPDIR/out")" in
0:999 | 2:) echo clean ;;
*) echo "status $status"; cat "$TMPDIR/err" ;;
esac
