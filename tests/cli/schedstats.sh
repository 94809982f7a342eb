# CSPDEBUG=schedstats=1: the scheduler's counters, when the program ends.
# expect: spawns 4
# expect: no bad line
# expect: a counter for each of sched.stats()
CSPDEBUG=schedstats=1 "$CSPVM" --procs 2 -e 'c := chan()
for i in 3 { go { c <- i } }
for i in 3 { <-c }' 2> "$TMPDIR/err" || echo "status $?"
sed -n 's/^spawns  *\([0-9]*\)$/spawns \1/p' "$TMPDIR/err"
# a line is a counter, or of the histogram below "late by"
grep -vE '^[a-z][a-z ]*[a-z)] +[0-9]+$|^late by \(samples\) +[0-9]+$|^  below [0-9.e+]+ (ns|us|ms|s) +[0-9]+ +[0-9.]+ %$' \
  "$TMPDIR/err" || echo "no bad line"
[ "$(grep -cE '^[a-z]' "$TMPDIR/err")" -ge 15 ] &&
  grep -q '^polls that found some ' "$TMPDIR/err" && grep -q '^retakes ' "$TMPDIR/err" &&
  echo "a counter for each of sched.stats()"
