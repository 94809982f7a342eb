# Two frames alike stay as they are; three are shown once. Dumps do so, too.
# expect: panic: deep
# expect:
# expect: goroutine 1 [running]:
# expect:   f at -e:1:29
# expect:   f at -e:1:42
# expect:   f at -e:1:42
# expect:   main at -e:2:2
# expect: ---
# expect: panic: deep
# expect:
# expect: goroutine 1 [running]:
# expect:   f at -e:1:29
# expect:   f at -e:1:42
# expect:   ... the same 2 times more ...
# expect:   main at -e:2:2
# expect: ---
# expect: deadlock: all goroutines are asleep
# expect:
# expect: goroutine 1 [chan receive]:
# expect:   f at -e:1:43
# expect:   f at -e:1:26
# expect:   ... the same 3 times more ...
# expect:   main at -e:2:2
for n in 2 3; do
  "$CSPVM" -e 'func f(n) { if n < 1 { panic("deep") }; f(n - 1) }
f('$n')' 2>&1
  echo ---
done
"$CSPVM" -e 'func f(n) { if n >= 0 { f(n - 1) } else { <-chan() } }
f(3)' 2>&1
true
