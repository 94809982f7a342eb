# A long chain of operators is either compiled or a clean error.
# expect: clean
awk 'BEGIN { printf "x := 1"; for (i = 0; i < 100000; i++) printf " + 1"; print "" }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" 2> "$TMPDIR/err"
status=$?
case $status in
0 | 2) echo clean ;;
*) echo "status $status"; cat "$TMPDIR/err" ;;
esac
