# A long chain of else if is either compiled or a clean error.
# expect: clean
awk 'BEGIN { printf "x := 1\nif x == 0 { }"; for (i = 0; i < 20000; i++) printf " else if x == %d { }", i; print "" }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" 2> "$TMPDIR/err"
status=$?
case $status in
0 | 2) echo clean ;;
*) echo "status $status"; cat "$TMPDIR/err" ;;
esac
