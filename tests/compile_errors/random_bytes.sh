# Random bytes as source never crash or hang.
# expect: clean
i=0
while [ $i -lt 40 ]; do
  head -c 2000 /dev/urandom > "$TMPDIR/a.csp"
  "$CSPVM" check "$TMPDIR/a.csp" > /dev/null 2> "$TMPDIR/err"
  status=$?
  if [ $status != 2 ] && [ $status != 0 ]; then
    echo "status $status"
    od -c "$TMPDIR/a.csp" | head -200
    cat "$TMPDIR/err"
    exit 0
  fi
  i=$((i + 1))
done
echo clean
