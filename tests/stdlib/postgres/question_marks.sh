# A statement with `?` where $1 belongs is told so, with the syntax error of the
# server. One whose arguments are in the right form has that error alone.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 1)?
db.exec("create table a(n int, t text)")?
func show(sql, args...) {
  _, err := db.all(sql, args...)
  println(err.code, err)
}
show("insert into a values(?, ?)", 1, "x")
// expect: 42601 postgres: syntax error at or near "," at character 23: arguments stand for $1, $2 and so on, not for ?
show("select * from a where n = ? and t = ?", 1, "x")
// expect: 42601 postgres: syntax error at or near "and" at character 29: arguments stand for $1, $2 and so on, not for ?
show("select * from a where n = ?", 1)
// expect: 42601 postgres: syntax error at end of input at character 28: arguments stand for $1, $2 and so on, not for ?
// There are no arguments, some have their form, the error is another one.
show("insert into a values(?, ?)")
// expect: 42601 postgres: syntax error at or near "," at character 23
show("select '{}'::jsonb ? $1 frm a where", "x")
// expect: 42601 postgres: syntax error at or near "a" at character 29
show("select n from b where t = 'why?'", 1)
// expect: 42P01 postgres: relation "b" does not exist at character 15
_, err := db.transaction(func(work) {
  for row in work.cursor("select * from a where n = ? and true", 1)? { println(row) }
})
println(err)
// expect: postgres: syntax error at or near "and" at character 67: arguments stand for $1, $2 and so on, not for ?
println(db.all("select $1::int as n", 1)?)
// expect: [{"n": 1}]
END
export PGPORT
"$CSPVM" "$TMPDIR/a.csp"
