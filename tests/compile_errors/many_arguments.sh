# A call with very many arguments: run, or an error that says so.
# expect: clean
awk 'BEGIN { printf "func f(xs...) { return len(xs) }\nprintln(f("
  for (i = 0; i < 1000; i++) printf "%d, ", i; print "))" }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" > "$TMPDIR/out" 2> "$TMPDIR/err"
status=$?
case "$status:$(cat "$TMPDIR/out")" in
0:1000 | 2:) echo clean ;;
*) echo "status $status"; cat "$TMPDIR/err" ;;
esac
