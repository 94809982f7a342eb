# A file with syntax errors is left alone; the others are formatted.
# expect: status 2
# expect: f( ; x:=1
# expect: x := 1
# expect: status 2
# expect stderr: bad.csp:1:4: error: unexpected
# expect stderr: bad.csp:1:4: error: unexpected
cd "$TMPDIR" || exit
echo 'f( ; x:=1' > bad.csp
echo 'x:=1' > good.csp
"$CSPVM" fmt bad.csp good.csp
echo "status $?"
cat bad.csp good.csp
"$CSPVM" fmt --check bad.csp
echo "status $?"
