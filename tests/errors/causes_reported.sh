# Of many causes the last one that is reported is whole.
# expect:   caused by: 6
# expect:   at -e:4:4
"$CSPVM" -e 'err := error("0")
for n in 1..=25 { err = error(str(n), cause: err) }
func f() => err
f()?' 2>&1 | tail -2
