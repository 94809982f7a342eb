# Each idle connection that the server had ended cost one failed call.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'CSP'
import "os"
import "postgres"
URL := "postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada"
other := postgres.open(URL)?
const MOST = 5
const OTHERS = "from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
func all_at_once(db) {
  failures := 0
  group {
    for _ in MOST {
      go {
        _, err := db.transaction(func(work) => work.one("select pg_sleep(0.05) as x"))
        if err != nil { failures++ }
      }
    }
  }
  return failures
}
db := postgres.open(URL, most: MOST)?
println(all_at_once(db), other.one("select count(*) as n ${OTHERS}")?)   // expect: 0 {"n": 5}
other.all("select pg_terminate_backend(pid) ${OTHERS}")?
for other.one("select count(*) as n ${OTHERS}")?.n > 0 { sleep(1ms) }
println(all_at_once(db))                                                 // expect: 0
// The server is told to stop, ends its connections in order, and starts again.
r := os.run("bash", ["-c", ". tests/stdlib/postgres/lib/server.sh; as_user $pg_bin/pg_ctl -D $pg_data -m fast -w stop; start"])?
if r.status != 0 { println(r.out, r.err) }
println(all_at_once(db), all_at_once(other))                             // expect: 0 0
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/a.csp"
