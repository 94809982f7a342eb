# A line of 10 MB is taken, or cut short in the message.
# expect: status 2, short: yes
awk 'BEGIN { printf "x := unknown"; for (i = 0; i < 1000000; i++) printf " + x12345"; print "" }' > "$TMPDIR/a.csp"
"$CSPVM" "$TMPDIR/a.csp" 2> "$TMPDIR/err"
status=$?
size=$(wc -c < "$TMPDIR/err")
[ "$size" -lt 20000 ] && short=yes || short="no: $size bytes"
echo "status $status, short: $short"
