# The tour in README.md runs: each block prints what its comments say.
# expect: 6 blocks
n=0
awk -v dir="$TMPDIR" '/^```go/ { n++; on = 1; next } /^```/ { on = 0 }
  on { print > (dir "/" n ".csp") }' README.md
for file in "$TMPDIR"/*.csp; do
  n=$((n + 1))
  "$CSPVM" "$file" > "$TMPDIR/out" || { echo "block $n: status $?"; continue; }
  # what stands behind println(...) as a comment is among the output
  sed -n 's/^.*print.*)  *\/\/ \(.*\)$/\1/p; s/^.*}  *\/\/ \(.*\)$/\1/p' "$file" |
    while IFS= read -r line; do
      grep -qF -- "$line" "$TMPDIR/out" || echo "block $n: no \"$line\""
    done
done
echo "$n blocks"
