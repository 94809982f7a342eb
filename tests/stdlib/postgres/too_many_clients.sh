# The server allows fewer connections than the pool has places. A place whose
# dial failed was the next that a call took, so each later call dialled and
# failed, while connections were free.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
. tests/stdlib/postgres/lib/server.sh
prepare && start -c max_connections=10 || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 20)?
func codes(jobs) {
  out := {}
  for job in jobs {
    _, err := <-job
    out[(if err == nil { "well" } else { err.code })] = true
  }
  return list(out).sort().join(" ")
}
for _ in 3 {
  println(codes(list(0..20).map(func(i) => go db.exec("select pg_sleep(0.5)"))))
  for _ in 20 { db.exec("select 1")? }
  for _ in 20 {
    few := codes(list(0..5).map(func(i) => go db.exec("select 1")))
    if few != "well" { println(few) }
  }
}
// expect: 53300 well
// expect: 53300 well
// expect: 53300 well
// Streams leave empty places, and come back to them.
for _ in 20 {
  sum := 0
  for row in db.query("select generate_series(1, 1000) as n")? { sum += row.n }
  if sum != 500_500 { println(sum) }
}
println(db.one("select count(*) <= 10 as x from pg_stat_activity where backend_type = 'client backend'"))   // expect: {"x": true} nil
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/script.csp"
