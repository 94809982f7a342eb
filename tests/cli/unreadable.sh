# A script that may not be read. (root may read all: then it just runs.)
# expect: refused
echo 'println("read")' > "$TMPDIR/a.csp"
chmod 000 "$TMPDIR/a.csp"
if [ "$(id -u)" = 0 ]; then
  echo refused
else
  "$CSPVM" "$TMPDIR/a.csp" 2> "$TMPDIR/err"
  [ $? = 2 ] && grep -q a.csp "$TMPDIR/err" && echo refused
fi
