# check warns of an operator exactly where it panics, for all operators and
# pairs of types; and of loops over ranges that are empty.
# expect: the same lines
# expect: a.csp:2:17: warning: this always panics: `+` is applied to a string and an int
# expect:       println("a: " + 1, m - len("abc"))
# expect:                     ^
# expect:     write `s + str(x)`
# expect: a.csp:4:3: warning: this always panics: `+` is applied to nil
# expect:       m += nil
# expect:       ^~
# expect: a.csp:5:14: warning: this loop never runs: a range goes up, and this one is empty
# expect:       for i in 10..0 { println(i) }
# expect:                  ^~
# expect:     count down with `.by(-1)`
# expect: a.csp:7:12: warning: this always panics: a loop over nil
# expect:       for i in nil { println(i) }
# expect:                ^
# expect: a.csp:8:16: warning: this always panics: a loop over a float
# expect:       for i in 2.5 * 2.0 { println(i) }
# expect:                    ^
# timeout: 90
cd "$TMPDIR" || exit 1
cat > pairs.csp <<'END'
const VALUES = ["nil", "true", "3", "2.5", "\"s\"", "bytes(2)", "[1]", "{a: 1}", "(0..3)", "(func() => 1)", "chan(1)",
  "(1, 2)"]
const OPS = "+ - * / % +% -% *% & | ^ << >> < <= > >= .. ..=".fields()
for a in VALUES {
  for op in (if a in ["nil", "chan(1)"] { ["-", "^"] } else { ["-", "^", "<-"] }) { println(op + a) }
  for b in VALUES { for op in OPS { println("${a} ${op} ${b}") } }
}
END
# (check gives a hundred warnings for a file.)
"$CSPVM" pairs.csp | sed 's/.*/panics(`&`, func() => &)/' | split -l 100 - part.
for part in part.*; do
  {
    echo 'func panics(code, f) { _, err := try(f); if err != nil { println(code) } }'
    cat "$part"
  } > part.csp
  "$CSPVM" part.csp >> panic
  "$CSPVM" check part.csp 2>&1 |
    sed -n '/always panics/ { n; s/ *panics(`\(.*\)`,.*/\1/p; }' >> warned
done
[ "$(wc -l < panic)" -gt 2000 ] && diff panic warned && echo "the same lines"

cat > a.csp <<'END'
func f(m, n = 3) {
  println("a: " + 1, m - len("abc"))
  for i in 0..10 { println(i, -m, n + 1.5) }
  m += nil
  for i in 10..0 { println(i) }
  for i in (10..0).by(-1) { println(i) }
  for i in nil { println(i) }
  for i in 2.5 * 2.0 { println(i) }
  for i in 0..0 { println(i) }
  for i in 3 { println(i) }
}
// what a constant is, a program may ask
const LIMIT = nil
const RETRIES = 0
func over(n) => LIMIT != nil && n > LIMIT
func named() => if RETRIES is string { "r" + RETRIES } else { "r" }
func rounds() { for i in 1..=RETRIES - 1 { println(i) } }
println(f, over, named, rounds)
END
"$CSPVM" check a.csp 2>&1
