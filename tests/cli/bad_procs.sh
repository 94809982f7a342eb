# --procs wants a number from 1 on, and so does CSPPROCS.
# expect: 2 2 2
# expect: cspvm: CSPPROCS needs a number from 1 to 1024, not `2x`
# expect: 2
# expect: 1
for n in 0 -1 x; do
  "$CSPVM" --procs "$n" -e '1' 2> "$TMPDIR/err"
  status=$?
  [ -s "$TMPDIR/err" ] || echo "no message"
  printf '%s ' $status
done | sed 's/ $//'
echo
CSPPROCS=2x "$CSPVM" -e '1' 2>&1
echo $?
CSPPROCS='' "$CSPVM" -e 'println(1)'
