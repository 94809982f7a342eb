# Each data/name.csp is written as data/name.out; that stays as it is.
# expect: 8 texts
n=0
for file in tests/fmt/data/*.csp; do
  n=$((n + 1))
  want=${file%.csp}.out
  "$CSPVM" fmt - < "$file" > "$TMPDIR/got" || echo "$file: status $?"
  diff "$want" "$TMPDIR/got"
  "$CSPVM" fmt - < "$want" | diff "$want" -
done
echo "$n texts"
