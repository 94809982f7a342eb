# While next to no memory was left, each statement collected all dead values,
# although the collection before had found none. (One P: a read that goes on at
# another one takes blocks for each size there, for which there is no memory.)
# timeout: 60
# small: CSPDEBUG=
# expect: seldom
# expect: {"x": 1, "y": "y"}
cat > "$TMPDIR/a.csp" << 'END'
import "sched"
import "sqlite"
db := sqlite.open(":memory:")?
db.exec("create table t(x); insert into t values(1)")?
kept, small := [], []
spare := bytes(60_000)
for _ in 20_000 { small.push([1, 2]) }
_ = try(func() { for { kept.push(bytes(4_000)) } })
spare = nil
before := sched.stats()["collections"]
for _ in 2000 { db.exec("update t set x = 1")? }
count := sched.stats()["collections"] - before
println((if count < 200 { "seldom" } else { "${count} collections" }))
// What each read leaves behind is collected in time.
row := nil
for _ in 20_000 { row = db.one("select x, 'y' as y from t")? }
println(row)
END
"$CSPVM" --procs 1 --max-memory 8 "$TMPDIR/a.csp"
