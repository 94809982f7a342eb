# What a COPY calls uses the transaction that the COPY is of. The connection
# does one thing at a time, and the error says so. It spoke of a mutex.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada")?
db.exec("create table t(x int); insert into t values(7)")?
func last(values...) => values.last()
func within(use) => db.transaction(func(work) {
  seen := []
  n := work.copy_in("copy t from stdin", func() {
    if len(seen) == 1 { return nil }
    seen.push(last(use(work)))
    return [1]
  })?
  work.copy_out("copy t to stdout", func(piece) { seen.push(last(use(work))) })?
  assert(work.exec("delete from t where x = 1")? == n)
  return seen, nil
})
seen := within(func(work) => work.one("select 1 as x"))?
println(seen[0].code, seen[0].message)
// expect: invalid postgres: the connection of this transaction is in the middle of the statement that calls this, such as a COPY: do it before that or after it, or by the pool
func same(use) {
  for err in within(use)? { assert(err.message == seen[0].message, err) }
  return nil, nil
}
same(func(work) => work.exec("delete from t"))?
same(func(work) => work.all("select 1 as x"))?
same(func(work) => work.query("select 1 as x"))?
same(func(work) => work.cursor("select 1 as x"))?
same(func(work) => work.notify("channel"))?
same(func(work) => work.copy_in("copy t from stdin", []))?
same(func(work) => work.copy_out("copy t to stdout", println))?
same(func(work) => work.transaction(func(inner) => inner.one("select 1 as x")))?
// The rows of a cursor come by the same connection.
_, err := db.transaction(func(work) {
  rows := work.cursor("select x from t")?
  _, err := try(work.copy_in, "copy t from stdin", rows)
  println(err.message == seen[0].message)              // expect: true
  return nil, err
})
println(err.message == seen[0].message)                // expect: true
// Rows that the pool reads can be copied, and other goroutines wait.
rows := db.query("select x from t")?
println(db.transaction(func(work) {
  tasks := []
  work.copy_in("copy t from stdin", func() {
    row := rows()
    tasks.push(go work.one("select count(*) as n from t"))
    return if row == nil { nil } else { [row.x + 1] }
  })?
  counts := []
  for task in tasks { counts.push((<-task)?.n) }
  return counts, nil
}))                                                    // expect: [2, 2] nil
println(db.all("select x from t"))                     // expect: [{"x": 7}, {"x": 8}] nil
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/script.csp"
