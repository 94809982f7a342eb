# Inner transactions: those of one transaction take turns, and one that a
# goroutine has not finished is taken back with what it does later.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
# expect: it fails
# expect: 1 nil
# expect: [{"x": "good"}]
# expect: timeout
# expect: closed postgres: the transaction is over
# expect: done nil
# expect: [{"x": "good"}, {"x": "first"}, {"x": "second"}]
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "postgres"
socket := "postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada"
db := postgres.open(socket, most: 1)?
db.exec("create table t(n serial, x text)")?
turn, over := chan(), chan()
n, err := db.transaction(func(work) {
  failing := go work.transaction(func(inner) {
    inner.exec("insert into t(x) values('bad')")?
    turn <- 1
    sleep(10ms)
    return error("it fails")
  })
  <-turn
  good := go work.transaction(func(inner) => inner.exec("insert into t(x) values('good')"))
  _, err := <-failing
  println(err)
  n, wrong := <-good
  return n, wrong
})
println(n, err)
println(db.all("select x from t order by n")?)
short := postgres.open(socket, timeout: 1s)?
_, err = short.transaction(func(work) => work.transaction(func(inner) {
  return work.transaction(func(other) => other.exec("delete from t"))
}))
println(err.code)

db.transaction(func(work) {
  work.exec("insert into t(x) values('first')")?
  go {
    _, err := work.transaction(func(inner) {
      inner.exec("insert into t(x) values('half')")?
      turn <- 1
      <-turn
      _, err := inner.exec("insert into t(x) values('later')")
      println(err.code, err)
      return err
    })
    over <- err
  }
  <-turn
})?
println(db.transaction(func(work) => work.transaction(func(inner) {
  inner.exec("insert into t(x) values('second')")?
  turn <- 1
  <-over
  return "done", nil
})))
println(db.all("select x from t order by n")?)
END
export PGPORT
"$CSPVM" "$TMPDIR/a.csp"
