# Thousands of errors: a limited report, and the number of the rest.
# expect: status 2, short: yes
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "println(unknown_%d)\n", i }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" 2> "$TMPDIR/err"
status=$?
lines=$(wc -l < "$TMPDIR/err")
[ "$lines" -gt 10 ] && [ "$lines" -lt 300 ] && short=yes || short="no: $lines lines"
echo "status $status, short: $short"
