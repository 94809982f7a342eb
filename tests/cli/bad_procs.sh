# --procs wants a number from 1 on.
# expect: 2 2 2
for n in 0 -1 x; do
  "$CSPVM" --procs "$n" -e '1' 2> "$TMPDIR/err"
  status=$?
  [ -s "$TMPDIR/err" ] || echo "no message"
  printf '%s ' $status
done | sed 's/ $//'
