# --version and --help go to standard output.
# expect: version 0 cspvm
# expect: help 0 yes
"$CSPVM" --version > "$TMPDIR/out"
echo "version $? $(cut -d' ' -f1 "$TMPDIR/out")"
"$CSPVM" --help > "$TMPDIR/out"
echo "help $? $(grep -q -- --procs "$TMPDIR/out" && echo yes)"
