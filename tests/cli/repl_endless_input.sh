# An input without end is not read for ever: its memory would have no bound.
# expect: 3
# expect: status 1
# expect stderr: an input of more than 4 MB is not read: write it to a file, and run that
# timeout: 60
{ echo '1 + 2'; yes | tr -d '\n'; } | "$CSPVM" 2> "$TMPDIR/errors"
echo "status ${PIPESTATUS[1]}"
cat "$TMPDIR/errors" >&2
