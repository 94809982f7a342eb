# What cannot be assigned to is told of once.
# expect: 2:1: error: a call cannot be assigned to
# expect: 3:1: error: a call cannot be assigned to
# expect: 4:2: error: `:=` declares names, and this is none
# expect: 5:1: error: a slice cannot be assigned to: it is a copy
# expect: 6:15: error: a call cannot be assigned to
# expect: 7:4: error: `:=` declares names, and this is none
# expect: 8:15: error: `:=` declares names, and this is none
cat > "$TMPDIR/targets.csp" << 'END'
f := func() => [1]
f()++
f() = 2
(f()), x := 1, 2
f[0:1] = [5]
select { case f() = <-chan(): }
_, f.x := 1, 2
func g() { _, f[0] := 1, 2 }
END
"$CSPVM" check "$TMPDIR/targets.csp" 2>&1 | sed -n 's/.*targets.csp:\(.*error\)/\1/p'
