# --check names the files that would change, and changes nothing.
# expect: a.csp
# expect: sub/c.csp
# expect: status 1
# expect: status 0
# expect: -
# expect: status 1
# expect: unchanged
cd "$TMPDIR" || exit
mkdir sub .hidden
printf 'x:=1\n' | tee a.csp sub/c.csp sub/d.txt .hidden/e.csp > .f.csp
printf 'x := 1\n' > b.csp
"$CSPVM" fmt --check a.csp b.csp sub
echo "status $?"
"$CSPVM" fmt --check b.csp
echo "status $?"
"$CSPVM" fmt --check - < a.csp
echo "status $?"
[ "$(cat a.csp)" = 'x:=1' ] && echo unchanged
