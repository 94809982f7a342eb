# Two columns of one name are an error, and none of them is lost. The connection
# and the transaction stay usable. `exec` gives no rows, so it does not mind.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "postgres"
struct Row { id, n }
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 1)?
db.exec("create table a(id int, n text); create table b(k int); insert into a values(1, 'x'); insert into b values(2)")?
both := "select * from a, b"
println(db.one(both))   // expect: {"id": 1, "n": "x", "k": 2} nil
db.exec("alter table b rename column k to id")?
_, err := db.one(both)
println(err.code, err)  // expect: syntax postgres: two columns have the name "id", and a row has room for one: give one another name, as in "b.id as b_id"
func code(rows, err) => err.code
println(code(db.all(both)), code(db.query(both)), code(db.as(Row).all(both)))  // expect: syntax syntax syntax
println(code(db.all(both + " where false")))  // expect: syntax
println(db.exec(both))                        // expect: 0 nil
println(db.transaction(func(work) {
  println(code(work.one("select 1, 2")))      // expect: syntax
  println(code(work.all("insert into a values(3, 'z') returning id, id")))     // expect: syntax
  println(code(try(func() { for row in work.cursor(both)? { println(row) } })))  // expect: syntax
  return work.one("select count(*) as n from a")
}))                                           // expect: {"n": 2} nil
println(db.all("select a.id, b.id as b_id from a, b order by 1"))  // expect: [{"id": 1, "b_id": 2}, {"id": 3, "b_id": 2}] nil
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/script.csp"
