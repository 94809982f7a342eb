# docs/embedding.md has every function of vm/csp.h, and no others. What is
# missing, or too much, is printed.
grep -oE '\bcsp_[a-z0-9_]+\(' vm/csp.h | tr -d '(' | sort -u > "$TMPDIR/declared"
sed -n '/^## Every function/,$p' docs/embedding.md | grep '^| `csp' |
  cut -d'|' -f2 | grep -oE 'csp_[a-z0-9_]+' | sort | diff "$TMPDIR/declared" -
