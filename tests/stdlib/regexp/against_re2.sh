# Random patterns and texts, signs in any order, and all small patterns, beside
# RE2: the places of all matches and of their groups. lib/oracle.py tells what
# may differ, and why. SEED=N makes others.
# needs: /usr/include/re2/re2.h
# expect: re2: 4000 patterns, 20000 texts
# expect: wild: 4000 patterns, 8000 texts
# expect: small: 11916 patterns, 369396 texts
# timeout: 90
# small: CSPDEBUG=
# once: one thread, and the same each time
lib=tests/stdlib/regexp/lib
g++ -O1 -o "$TMPDIR/re2" $lib/re2.cpp -lre2 || exit 1
tried() {  # KIND COUNT
  python3 $lib/oracle.py make "$1" "${SEED:-1}" "$2" > "$TMPDIR/cases"
  "$TMPDIR/re2" < "$TMPDIR/cases" > "$TMPDIR/theirs"
  "$CSPVM" $lib/spans.csp < "$TMPDIR/cases" > "$TMPDIR/ours"
  python3 $lib/oracle.py compare "$1" "$TMPDIR/cases" "$TMPDIR/theirs" "$TMPDIR/ours"
}
tried re2 4000
tried wild 4000
tried small 4
