# A sort that is done in pieces and finds no memory between two of them panics.
# (A dead register may keep the list of the round before, so max writes to all.)
# small: CSPDEBUG=gcstress=31
# expect: true
cat > "$TMPDIR/a.csp" <<"S"
kept := []
func fill(size) {
  for { kept.push(bytes(size)) }
}
failed := 0
for round in 6000 {
  if failed > 0 && round >= 60 { break }
  n := round % 60
  xs := list(0..1300).map(func(x) => (x * 7919) % 10007)
  _ = try(fill, 40000)
  _ = try(fill, 64)
  for _ in min(n, len(kept)) { kept.pop() }
  _, err := try(xs.sort)
  if err != nil {
    assert("${err}".has_prefix("out of memory"))
    failed++
  }
  kept = []
  max(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}
println(failed > 0)
S
"$CSPVM" --max-memory 8 "$TMPDIR/a.csp"
