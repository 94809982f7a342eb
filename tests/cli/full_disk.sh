# A standard output that cannot take more.
# expect: status 1, message: yes
"$CSPVM" -e 'for i in 100000 { println("line", i) }' > /dev/full 2> "$TMPDIR/err"
status=$?
[ -s "$TMPDIR/err" ] && message=yes || message=no
echo "status $status, message: $message"
