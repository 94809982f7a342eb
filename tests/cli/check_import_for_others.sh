# check does not warn of a module whose import alone does something, as `zlib`
# for answers of http. A user that followed it lost compression.
# expect: status 0
# expect stderr: the module `math` is imported, but never used
printf 'import "http"\nimport "tls"\nimport z "zlib"\nimport "dns"\nimport "math"\n%s\n' \
  'println(http.status_text(200))' > "$TMPDIR/a.csp"
"$CSPVM" check "$TMPDIR/a.csp" 2> "$TMPDIR/err"
echo "status $?"
grep warning "$TMPDIR/err" >&2
[ "$(grep -c warning "$TMPDIR/err")" = 1 ] || echo "more warnings"
