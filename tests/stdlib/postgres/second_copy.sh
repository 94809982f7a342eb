# A text has more than one COPY, or something after it. The second one was an
# endless loop. A result after the first made a lost connection of it, although
# its rows were there.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 1)?
db.exec("create table t(x int)")?
func put(sql) {
  n, err := db.copy_in(sql, [[1], [2]])
  println(n, err, db.one("select count(*) as n from t")?.n)
}
func get(sql) {
  pieces := bytes("")
  n, err := db.copy_out(sql, func(piece) { pieces.push(piece) })
  println(n, err, pieces.to_string().quote())
}
put("copy t from stdin")                     // expect: 2 nil 2
put("copy t from stdin; copy t from stdin")  // expect: nil postgres: the text has more than one COPY 2
put("copy t from stdin; select 1")           // expect: 2 nil 4
put("copy t from stdin; insert into t values(3);")   // expect: 2 nil 7
put("copy t from stdin; select 1/0")         // expect: nil postgres: division by zero 7
put("delete from t; copy t from stdin;;")    // expect: 2 nil 2
get("copy t to stdout")                      // expect: 2 nil "1\n2\n"
get("copy t to stdout; copy t to stdout")    // expect: nil postgres: the text has more than one COPY "1\n2\n"
get("copy t to stdout; copy t from stdin")   // expect: nil postgres: the text has more than one COPY "1\n2\n"
get("copy t to stdout; select x from t")     // expect: 2 nil "1\n2\n"
get("select 1; copy t to stdout")            // expect: 2 nil "1\n2\n"
println(db.transaction(func(work) => work.copy_in("copy t from stdin; copy t from stdin", [[1]])))   // expect: nil postgres: the text has more than one COPY
println(db.one("select count(*) as n from t"))   // expect: {"n": 2} nil
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/script.csp"
