# A function whose first instruction finds no memory panics. It tried again for
# ever, with a collection each time.
# small: CSPDEBUG=gcstress=31
# expect: map out of memory: the limit is 4 MB
# expect: list out of memory: the limit is 4 MB
# expect: function out of memory: the limit is 4 MB
# expect: joined out of memory: the limit is 4 MB
# timeout: 20
cat > "$TMPDIR/a.csp" <<"S"
func empty() {
  m := {}
  return m
}
func pair(a, b) => [a, b]
func adder(a) => func(b) => a + b
func joined(a, b) => a + b
text := "some text"
calls := {map: empty, list: func() => pair(1, 2), function: func() => adder(1), joined: func() => joined(text, text)}
for name, f in calls {
  kept, made := [], list(0..50000)
  for size in [50000, 2000] {
    _, _ = try(func() { for { kept.push(bytes(size)) } })
  }
  _, err := try(func() { for i in 50000 { made[i] = f() } })
  kept = nil
  made = nil
  println(name, err)
}
S
"$CSPVM" --max-memory 4 "$TMPDIR/a.csp"
