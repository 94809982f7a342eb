# data/go_replace.json is what lib/go_tables.py makes of Go's tables.
# needs: /usr/share/go-1.19/src/regexp/all_test.go
# once: it has no threads
# expect: 119 cases, no difference
python3 tests/stdlib/regexp/lib/go_tables.py \
  < /usr/share/go-1.19/src/regexp/all_test.go > "$TMPDIR/made"
cmp "$TMPDIR/made" tests/stdlib/regexp/data/go_replace.json &&
  echo "$(wc -l < "$TMPDIR/made") cases, no difference"
