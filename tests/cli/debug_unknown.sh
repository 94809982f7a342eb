# CSPDEBUG: settings that there are none of, or with bad values, are told of.
# expect: ran
# expect: cspvm: CSPDEBUG: no setting `nonsense` (there are: gcstress, leaks, libraryframes, poison, panicwait, schedstats, schedtrace, scheddetail, traceevents, workspan, trace)
# expect: cspvm: CSPDEBUG: `leaks=maybe`: not a number from 0 to 1
# expect: cspvm: CSPDEBUG: `traceevents=0`: not a number from 1 to 1 << 24
# expect: cspvm: CSPDEBUG: `schedtrace=`: not a number from 0 to 1000000000
# expect: cspvm: CSPDEBUG: `trace` needs a file: trace=FILE
# expect: cspvm: CSPDEBUG: cannot write no/such/folder/file: No such file or directory
# expect: status 0
CSPDEBUG=nonsense=1,poison,leaks=maybe,traceevents=0,,schedtrace=,trace,leaks=0 \
  "$CSPVM" -e 'println("ran")' 2> "$TMPDIR/err" || echo "status $?"
cat "$TMPDIR/err"
CSPDEBUG=trace=no/such/folder/file "$CSPVM" -e '' 2> "$TMPDIR/err"
status=$?
cat "$TMPDIR/err"
echo "status $status"
