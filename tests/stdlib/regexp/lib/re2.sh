# Builds the program that asks RE2. `tried KIND COUNT` compares so many cases.
lib=tests/stdlib/regexp/lib
g++ -O1 -o "$TMPDIR/re2" $lib/re2.cpp -lre2 || exit 1
tried() {
  python3 $lib/oracle.py make "$1" "${SEED:-1}" "$2" > "$TMPDIR/cases"
  "$TMPDIR/re2" < "$TMPDIR/cases" > "$TMPDIR/theirs"
  "$CSPVM" $lib/spans.csp < "$TMPDIR/cases" > "$TMPDIR/ours"
  python3 $lib/oracle.py compare "$1" "$TMPDIR/cases" "$TMPDIR/theirs" "$TMPDIR/ours"
}
