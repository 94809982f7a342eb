# A failed `assert` shows both values, also as the last statement of an input.
# expect: panic: assertion failed: 1 == 2
# expect:   main at repl[2]:1:7
# expect:     assert(x == 2)
# expect:           ^
# expect: panic: assertion failed: 1 in [2]
# expect:   main at repl[4]:1:16
# expect:     f(nil)?; assert(x in [2])
# expect:                    ^
# expect: panic: assertion failed: why
# expect:   main at repl[5]:1:7
# expect:     assert(x == 2, "why")
# expect:           ^
# expect: 1
# expect exit: 1
"$CSPVM" 2>&1 << 'END'
x := 1
assert(x == 2)
func f(e) => e
f(nil)?; assert(x in [2])
assert(x == 2, "why")
assert(x == 1)
x
END
