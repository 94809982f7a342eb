# pool.close() ends the calls that wait. One that left its connection at once
# was overtaken by the end of it, so nobody told the server to stop.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
# procs: 1,2,8
# expect: 30 run
# expect: closed 30
# expect: none runs
. tests/stdlib/postgres/lib/server.sh
prepare || exit
start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "postgres"
url := "host=${os.env("TMPDIR")}/sockets port=${os.env("PGPORT")} user=ada dbname=postgres"
db := postgres.open(url)?
const RUNNING = "select count(*) as n from pg_stat_activity where query = 'select pg_sleep(1000)' and state = 'active'"
func wait(n) { for db.one(RUNNING)?.n != n { sleep(1ms) } }
pool := postgres.open(url, most: 30)?
jobs := []
for _ in 30 { jobs.push(go pool.exec("select pg_sleep(1000)")) }
wait(30)?
println("30 run")
pool.close()
codes := map()
for job in jobs {
  _, err := <-job
  codes[err.code] = (codes[err.code] ?? 0) + 1
}
for code, n in codes { println(code, n) }
wait(0)?
println("none runs")
END
PGPORT=$PGPORT "$CSPVM" "$TMPDIR/a.csp"
