# What the hints for words of other languages write is in the library.
# expect: all are there
hints="lang/parse/foreign.c vm/object/habit.c"
modules=$(sed -n 's/^## \([a-z0-9]*\)$/\1/p' docs/library.md)
for module in $modules; do
  grep -oh "\b$module\.[a-z_0-9]*(" $hints | tr -d '(' | sort -u > "$TMPDIR/names"
  [ -s "$TMPDIR/names" ] || continue
  { echo "import \"$module\""; sed 's/^/_ = /' "$TMPDIR/names"; } > "$TMPDIR/a.csp"
  "$CSPVM" check "$TMPDIR/a.csp"
  cat "$TMPDIR/names" >> "$TMPDIR/all"
done
[ "$(wc -l < "$TMPDIR/all")" -gt 50 ] && echo all are there
