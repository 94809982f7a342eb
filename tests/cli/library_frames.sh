# Frames of the library are not shown, but with CSPDEBUG=libraryframes=1, and
# where there are no others.
# expect: panic: no
# expect:
# expect: goroutine 1 [running]:
# expect:   func@1 at -e:1:25
# expect:   main at -e:1:9
# expect: ---
# expect:   list.each at prelude.csp
# expect: ---
# expect: panic: maps.filter: m must be a map, not int
# expect:
# expect: goroutine 1 [running]:
# expect:   main at -e:2:12
# expect: ---
# expect: panic: cannot call int
# expect:
# expect: goroutine 2 [running]:
# expect:   list.each at prelude.csp
"$CSPVM" -e '[1].each(func(x) { panic("no") })' 2>&1
echo ---
CSPDEBUG=libraryframes=1 "$CSPVM" -e '[1].each(func(x) { panic("no") })' 2>&1 |
  grep -o '  list.each at prelude.csp'
echo ---
"$CSPVM" -e 'import "maps"
maps.filter(1, 2)' 2>&1
echo ---
# With one P, as each P has numbers of its own for goroutines.
"$CSPVM" --procs 1 -e 'go [1].each(2)
sleep(1h)' 2>&1 | sed 's/each at prelude.csp.*/each at prelude.csp/' | head -4
