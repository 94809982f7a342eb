# What a transaction did after the pool was closed panicked with
# "postgres._run returned 2 values, 3 wanted".
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'CSP'
import "os"
import "postgres"
URL := "postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada"
func code(f) {
  _, err := try(f)
  return if err == nil { nil } else { err.code }
}
func after_close(f) => code(func() {
  db := postgres.open(URL)?
  return db.transaction(func(work) {
    db.close()
    return f(work)
  })
})
for f in [
  func(w) => w.exec("select 1"), func(w) => w.one("select 1"), func(w) => w.all("select 1"),
  func(w) => w.query("select 1"), func(w) => w.cursor("select 1"), func(w) => w.notify("x"),
  func(w) => w.transaction(func(inner) => 1), func(w) => w.copy_in("copy t from stdin", []),
  func(w) => w.copy_out("copy t to stdout", println), func(w) => 1,
] { print(after_close(f), "") }
println("transaction")  // expect: closed closed closed closed closed closed closed closed closed closed transaction
println(code(func() {
  db := postgres.open(URL)?
  return db.transaction(func(work) {
    n := 0
    for row in work.cursor("select generate_series(1, 1000) as n")? {
      n++
      if n == 100 { db.close() }
    }
    return n
  })
}))                     // expect: closed
println(code(func() {
  db := postgres.open(URL)?
  n := 0
  for row in db.query("select generate_series(1, 1000) as n")? {
    n++
    if n == 100 { db.close() }
  }
  return n
}))                     // expect: closed
CSP
export PGPORT
"$CSPVM" "$TMPDIR/a.csp"
