# Reports show codes, also those of causes, with string() methods and without.
# expect: error: cannot start
# expect:   code: "start"
# expect:   caused by: cannot read /no/such/file: No such file or directory
# expect:   code: "not_found"
# expect:   caused by: not this
# expect: panic: Named says
# expect:   code: 7
# expect: 58
cat > "$TMPDIR/a.csp" <<"S"
import "os"
_, err := os.read_file("/no/such/file")
e := error("cannot start", cause: err, code: "start")
func f() => e
f()?
S
"$CSPVM" "$TMPDIR/a.csp" 2>&1 | grep -v " at "
echo '_, err := try(func() => error("not this"))
panic(error("not", cause: error("not this")))' > "$TMPDIR/b.csp"
"$CSPVM" "$TMPDIR/b.csp" 2>&1 | grep "caused"
cat > "$TMPDIR/c.csp" <<"S"
struct Named {}
func (n Named) string() => "Named says"
panic(error(Named(), code: 7))
S
"$CSPVM" "$TMPDIR/c.csp" 2>&1 | head -2
# A long one is cut.
echo 'panic(error("m", code: "x".repeat(1_000_000)))' > "$TMPDIR/d.csp"
"$CSPVM" "$TMPDIR/d.csp" 2>&1 | sed -n 's/^  code: "\(x*\)\.\.\.$/\1/p' |
  tr -d '\n' | wc -c
