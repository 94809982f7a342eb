# A stream of rows that are 40 times the memory, out of a file that is larger
# than it, and of a statement that would give very many.
# timeout: 90
# small: SIZE=300
# expect: the table: all rows
# expect: sorted: all rows
# expect: with a table of numbers: enough rows
# expect: true
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "sqlite"
const SIZE = int(os.env("SIZE", "20000"))
const LEN = 2000
db := sqlite.open(os.args[0])?
db.exec("create table t(k integer primary key, v)")?
const NUMBERS = "with recursive r(n) as (select 0 union all select n + 1 from r limit ${2 * SIZE})"
db.exec("${NUMBERS} insert into t select n, hex(zeroblob(${LEN / 2})) from r limit ${SIZE}")?
func read(what, sql, most, wanted) {
  n := 0
  for row in db.query(sql)? {
    assert(len(row.v) == LEN)
    n++
    if n == most { break }
  }
  println((if n == most { "${what}: ${wanted}" } else { "${what}: ${n} of ${most}" }))
}
read("the table", "select v from t", SIZE, "all rows")
read("sorted", "select k, v from t order by k desc", SIZE, "all rows")
read("with a table of numbers", "${NUMBERS} select t.k, t.v from r, t", 2 * SIZE, "enough rows")
// A list of them has no room.
_, err := try(db.all, "select v from t, (select 1 union all select 2)")
println(SIZE < 1000 || err.code == "memory" || err.message.contains("out of memory"))
db.close()
END
"$CSPVM" --max-memory 4 "$TMPDIR/a.csp" "$TMPDIR/a.db"
