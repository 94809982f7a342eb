# A program that runs otherwise with --procs 2 than with the default, or that
# computes something else than the model, or reports not all that an error
# carries, is found and made smaller.
# expect: FAIL --kind mixed --seed 5: two differs
# expect: not empty, and at most 5 lines
# expect: 0 passed, 1 failed
# expect: FAIL --kind arith --seed 5: tail model
# expect: not empty, and at most 30 lines
# expect: 0 passed, 1 failed
# expect: FAIL --kind errors --seed 5: tail model
# expect: not empty, and at most 50 lines
# expect: 0 passed, 1 failed
# timeout: 200
# once: the seeds are fixed
cat > "$TMPDIR/twice" <<'EOF'
#!/bin/sh
case "$*" in *--procs?2*) echo otherwise ;; esac
exec "$CSPVM" "$@"
EOF
cat > "$TMPDIR/sums" <<'EOF'
#!/bin/sh
case "$1" in fmt | --*) exec "$CSPVM" "$@" ;; esac
sed 's, - , + ,g' "$1" > "$1.other"
exec "$CSPVM" "$1.other"
EOF
cat > "$TMPDIR/forgets" <<'EOF'
#!/bin/sh
case "$1" in fmt | --*) exec "$CSPVM" "$@" ;; esac
"$CSPVM" "$@" 2> "$1.reports"
status=$?
sed '/^  also: /d' "$1.reports" >&2
exit $status
EOF
chmod +x "$TMPDIR/twice" "$TMPDIR/sums" "$TMPDIR/forgets"

find_() {
  tests/gen/run --kind "$1" --seed 5 --count 1 --jobs 1 --shrink 1000 --tail "$2" \
    --goto "$CSPVM" --checked "$CSPVM" > "$TMPDIR/report"
  sed -n 's/^\(FAIL [^:]*: [a-z]* [a-z]*\): .*/\1/p' "$TMPDIR/report" | uniq
  lines=$(sed '1,/^FAIL/d' "$TMPDIR/report" | sed '/^$/d; /programs were/,$d' | wc -l)
  [ "$lines" -ge 1 ] && [ "$lines" -le "$3" ] && echo "not empty, and at most $3 lines" ||
    cat "$TMPDIR/report"
  tail -n 1 "$TMPDIR/report"
}
find_ mixed "$TMPDIR/twice" 5
find_ arith "$TMPDIR/sums" 30
find_ errors "$TMPDIR/forgets" 50
