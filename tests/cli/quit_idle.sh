# SIGQUIT when all goroutines wait: those that are alike are one entry, with
# their ids, and for how long they have waited.
# expect: status 2
# expect: SIGQUIT: quit
# expect: 
# expect: goroutine 1 [sleep, N s]:
# expect:   main at idle.csp:11:6
# expect: 
# expect: 5 goroutines [chan receive, N s]: 2, 4, 6, 8, 10
# expect:   inner at idle.csp:2:17
# expect:   outer at idle.csp:4:8
# expect:   created at idle.csp:7:21
# expect: 
# expect: 5 goroutines [select (no cases), N s]: 3, 5, 7, 9, 11
# expect:   func@8 at idle.csp:8:8
# expect:   created at idle.csp:8:6
# timeout: 60
# small: CSPDEBUG=
cat > "$TMPDIR/idle.csp" << 'END'
import "os"
func inner(c) { <-c }
func outer(c) {
  inner(c)
}
for i in 5 {
  if true { go outer(chan()) }
  go { select {} }
}
go { sleep(1100ms); os.write_file(os.args[0] + "/ready", "") }
sleep(1000s)
END
"$CSPVM" --procs 1 "$TMPDIR/idle.csp" "$TMPDIR" 2> "$TMPDIR/err" &
until [ -e "$TMPDIR/ready" ]; do sleep 0.01; done
kill -QUIT $!
wait $!
echo "status $?"
# (The twelfth may not have ended yet.)
sed "s|$TMPDIR/||; s/[1-9][0-9]* s\\]/N s]/; s/N s to N s/N s/" "$TMPDIR/err" |
  awk -v RS= '!/^goroutine 12 / { if (n++) print ""; print }'
