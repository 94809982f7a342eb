# While little memory was left, each read made a collection that found nothing.
# small: CSPDEBUG=
# expect: few collections
cat > "$TMPDIR/a.csp" << 'END_CSP'
import "sched"
import "sqlite"
db := sqlite.open(":memory:")?
keep := []
_ = try(func() { for { keep.push([1, [2, 3], "t${len(keep)}"]) } })
for _ in 3000 { keep.pop() }
sched.gc()
before := sched.stats().collections
for i in 200 { assert(db.one("select $1 as x", i)?.x == i) }
made := sched.stats().collections - before
println((if made < 50 { "few collections" } else { made }))
END_CSP
"$CSPVM" --max-memory 16 "$TMPDIR/a.csp"
