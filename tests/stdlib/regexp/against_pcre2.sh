# Random patterns and texts, beside PCRE2: the places of all matches and of
# their groups. lib/oracle.py tells what may differ, and why. SEED=N makes
# others. (pcre2test shows texts and no places. The library is what it uses.)
# needs: pcre2test
# expect: pcre2: 4000 patterns, 20000 texts
# timeout: 90
# small: CSPDEBUG=
# once: one thread, and the same each time
lib=tests/stdlib/regexp/lib
python3 $lib/oracle.py make pcre2 "${SEED:-1}" 4000 > "$TMPDIR/cases"
python3 $lib/pcre2.py < "$TMPDIR/cases" > "$TMPDIR/theirs"
"$CSPVM" $lib/spans.csp < "$TMPDIR/cases" > "$TMPDIR/ours"
python3 $lib/oracle.py compare pcre2 "$TMPDIR/cases" "$TMPDIR/theirs" "$TMPDIR/ours"
