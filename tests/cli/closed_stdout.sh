# A closed standard output: a message and a status, no crash.
# expect: status 1, message: yes
"$CSPVM" -e 'println("lost")' >&- 2> "$TMPDIR/err"
status=$?
[ -s "$TMPDIR/err" ] && message=yes || message=no
echo "status $status, message: $message"
