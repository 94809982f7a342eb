# A standard output, or error, that cannot take more.
# expect: status 1, message: yes
# expect: status 1
"$CSPVM" -e 'for i in 100000 { println("line", i) }' > /dev/full 2> "$TMPDIR/err"
status=$?
[ -s "$TMPDIR/err" ] && message=yes || message=no
echo "status $status, message: $message"
"$CSPVM" -e 'import "fmt"; fmt.eprintln("lost")' 2> /dev/full
echo "status $?"
