# Bytes that are no UTF-8, and NUL bytes: an error at their place, or a run.
# expect: clean clean clean
for text in 'println("\377\376")\n' 'x := 1\000\nprintln(x)\n' '\000\001\002'; do
  printf "$text" > "$TMPDIR/a.csp"
  "$CSPVM" "$TMPDIR/a.csp" > /dev/null 2> "$TMPDIR/err"
  case $? in
  0 | 2) printf 'clean ' ;;
  *) cat "$TMPDIR/err" ;;
  esac
done | sed 's/ $//'
