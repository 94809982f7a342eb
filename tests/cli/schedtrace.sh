# CSPDEBUG=schedtrace=N writes a line every N ms, also while everything sleeps,
# and with scheddetail=1 lines for each P, M and G, too.
# expect: lines, and nothing else
# expect: details, and nothing else
# expect: all states
# timeout: 60
line='SCHED [0-9]+ms: gomaxprocs=2 idleprocs=[0-2] threads=[0-9]+ spinningthreads=[0-9]+ needspinning=[01] idlethreads=[0-9]+ runqueue=[0-9]+ \[[0-9]+ [0-9]+\]'
id='(-|[0-9]+)'
p="  P[01]: status=(idle|running|syscall) schedtick=[0-9]+ runqsize=[0-9]+ timers=[0-9]+ runnext=$id curg=$id m=$id"
m="  M[0-9]+: p=$id curg=$id locked=$id spinning=(yes|no) idle=(yes|no) call=(yes|no)"
g="  G[0-9]+: status=(runnable|running|syscall|waiting \([a-z ]+\)) m=$id( since=[0-9]+ms)?"

# Ends by itself when it has seen enough, so that no time limit is needed.
run() {
  mkfifo "$TMPDIR/$1"
  CSPDEBUG=$2 "$CSPVM" --procs 2 -e "$3" 2> "$TMPDIR/$1" &
  head -n "$4" "$TMPDIR/$1" > "$TMPDIR/$1.out"
  kill $!
  wait $! 2> /dev/null
}
run lines schedtrace=5 'sleep(1000s)' 5
grep -vxE "$line" "$TMPDIR/lines.out" || echo "lines, and nothing else"

run details schedtrace=5,scheddetail=1 'c := chan()
go { <-c }
go { for i := 0; true; i++ {} }
sleep(1000s)' 300
grep -vxE "$line|$p|$m|$g" "$TMPDIR/details.out" || echo "details, and nothing else"
grep -q 'G[0-9]*: status=waiting (sleep) m=- since=' "$TMPDIR/details.out" &&
  grep -q 'G[0-9]*: status=waiting (chan receive) m=-' "$TMPDIR/details.out" &&
  grep -q 'P[0-9]: status=running .* curg=[0-9]' "$TMPDIR/details.out" &&
  grep -q 'G[0-9]*: status=running m=[0-9]' "$TMPDIR/details.out" &&
  grep -q 'M[0-9]*: .* idle=yes' "$TMPDIR/details.out" && echo "all states"
