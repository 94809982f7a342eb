# A program that is killed in a transaction leaves no half of it behind, and the
# next one goes on.
# timeout: 60
# expect: ready
# expect: {"n": 10}
# expect: ok
cat > "$TMPDIR/writer.csp" << 'END'
import "os"
import "sqlite"
db := sqlite.open(os.args[0])?
db.exec("create table if not exists t(v)")?
db.transaction(func(tx) { for i in 10 { tx.exec("insert into t values(?)", i)? } })?
db.transaction(func(tx) {
  for i in 2000 { tx.exec("insert into t values(?)", "x".repeat(5000))? }
  println("ready")
  sleep(1h)
})
END
"$CSPVM" "$TMPDIR/writer.csp" "$TMPDIR/a.db" > "$TMPDIR/out" &
writer=$!
until [ -s "$TMPDIR/out" ]; do sleep 0.02; done
# The shell tells of a job that was killed, at once or in wait.
{
  kill -KILL "$writer"
  wait "$writer"
} 2> /dev/null
cat "$TMPDIR/out"
"$CSPVM" -e 'import "sqlite"
import "os"
db := sqlite.open(os.args[0])?
println(db.one("select count(*) as n from t")?)' "$TMPDIR/a.db"
sqlite3 "$TMPDIR/a.db" 'pragma integrity_check'
