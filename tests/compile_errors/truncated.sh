# A script cut off at any place never crashes the compiler.
# expect: clean
# once: one thread, and the same each time
source=examples/fib.csp
size=$(wc -c < $source)
i=1
while [ $i -lt "$size" ]; do
  head -c $i $source > "$TMPDIR/a.csp"
  "$CSPVM" check "$TMPDIR/a.csp" > /dev/null 2> "$TMPDIR/err"
  status=$?
  if [ $status != 2 ] && [ $status != 0 ]; then
    echo "cut at $i: status $status"
    cat "$TMPDIR/err"
    exit 0
  fi
  i=$((i + 7))
done
echo clean
