# A text could end a transaction unnoticed, so that a half of it was kept, or
# taken back without an error.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'CSP'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 2)?
db.exec("create table t(n int)")?
const TEXTS = [
  "commit", "commit and chain", "commit; begin", "rollback and chain", "rollback; begin", "end", "abort work",
  "prepare transaction 'x'", "savepoint a", "release inner_1", "rollback to inner_1", "start transaction",
  "/* one /* two; */ ; */ -- three\n COMMIT and chain", "select 'a;''b'; select \"c;\", $x$;$y$;$x$, E'\\';'; end",
  "select 1;;commit", "select E'a'\n'\\'; '; commit; begin", "select E'a'\n'\\'' ; commit",
]
// Refused before anything is sent, so the rest of the transaction is done.
for sql in TEXTS {
  refused := 0
  _, err := db.transaction(func(work) {
    for part in 2 {
      work.exec("insert into t values(1)")?
      for f in [
        func() => work.exec(sql), func() => work.all(sql), func() => work.one(sql),
        func() => work.copy_in("copy t from stdin; " + sql, ["7\n"]), func() => work.transaction(func(x) => x.exec(sql)),
        func() => db.exec(sql),
      ] {
        _, err := f()
        if err != nil && err.code == "invalid" { refused++ } else { println(sql, err) }
      }
    }
    return error("taken back")
  })
  if refused != 12 || err.message != "taken back" { println(sql, refused, err) }
}
println(db.all("select * from t"))  // expect: [] nil
_, err := db.exec("select 1; Commit And Chain")
println(err)
// expect: postgres: a transaction is begun and ended by pool.transaction alone, and an inner one by work.transaction, so "Commit" was not sent
// Texts that only look so.
for sql in [
  "select 1 as commit", "select 'x; commit'", "select $$ ; commit $$", "select \"end\" from (select 1 as \"end\") x",
  "create function one() returns int language plpgsql as $f$ begin return 1; end; $f$; select one()",
  "create function two() returns int begin atomic select 1; end", "prepare p as select 1; execute p; deallocate p",
  "create rule r as on delete to t do (select 1; select 2)", "do $$ begin perform 1; end $$", "rollback prepared 'none'",
  "select E'\\\\'; select E'\\'; commit;' '\\'; commit;'", "select case when true then 1 end", "-- commit; begin", "",
  "set standard_conforming_strings to off; reset standard_conforming_strings", "/* ; commit",
] {
  _, err := db.exec(sql)
  if err != nil && !(err.code in ["42704", "42601", "55000"]) { println(sql, err) }
}
db.exec("set standard_conforming_strings to off")?
println(db.exec("select 'it\\'; commit'"))  // expect: 0 nil
db.close()

// What the reader does not see, the server tells. Then it is no success.
db = postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 2)?
for i, sql in ["commit and chain", "commit", "rollback; begin"] {
  db.exec("truncate t")?
  got := nil
  value, err := db.transaction(func(work) {
    work.exec("insert into t values(5)")?
    _, got = work.exec("create function hidden${i}() returns int begin atomic select 1; end; ${sql}")
    _ = work.exec("insert into t values(6)")
    return "well", nil
  })
  println(value, err.code, got.code, got, db.all("select * from t")?)
}
// expect: nil closed invalid postgres: a transaction is begun and ended by pool.transaction alone, and an inner one by work.transaction, but this statement committed what was done before, which stays [{"n": 5}]
// expect: nil closed invalid postgres: a transaction is begun and ended by pool.transaction alone, and an inner one by work.transaction, but this statement committed what was done before, which stays [{"n": 5}]
// expect: nil closed invalid postgres: a transaction is begun and ended by pool.transaction alone, and an inner one by work.transaction, but this statement took back what was done before []
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/a.csp"
