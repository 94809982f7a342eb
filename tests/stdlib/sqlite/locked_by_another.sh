# Another process holds the lock of the file. Hundreds of goroutines wait for it
# and hold no thread, other blocking calls go on, and readers, too. After the
# limit the wait is an error. Those with time left write when the lock is free.
# There are more databases that wait than there may be threads.
# timeout: 90
# small: SIZE=70 EACH=1
# expect: all have asked
# expect: 0 of 0 rows are seen
# expect: files and programs go on
# expect: {"timeout": true}
# expect: nothing was written
# expect: all are written
cat > "$TMPDIR/holder.py" << 'END'
import os, sqlite3, sys, time
path = sys.argv[1]
c = sqlite3.connect(path, isolation_level=None)
c.execute("begin immediate")
c.execute("insert into t values(-1)")
open(path + ".locked", "w").close()
while not os.path.exists(path + ".go"):
    time.sleep(0.01)
c.execute("commit")
END
cat > "$TMPDIR/script.csp" << 'END'
import "os"
import "sched"
import "sqlite"
const SIZE = int(os.env("SIZE", "80"))
const EACH = int(os.env("EACH", "4"))
path := os.args[0]
databases := []
for _ in SIZE { databases.push(sqlite.open(path, readers: 1, timeout: 1h)?) }
databases[0].exec("create table t(a int)")?
holder := go os.run("python3", [os.args[1], path])
for !os.exists(path + ".locked") { sleep(1ms) }

// Each tries at least three times.
before := sched.stats().syscalls
waiters := []
for i in SIZE * EACH { waiters.push(go databases[i % SIZE].exec("insert into t values(?)", i)) }
for sched.stats().syscalls < before + 3 * SIZE { sleep(1ms) }
println("all have asked")

seen := 0
for db in databases { seen += db.one("select count(*) as n from t")?.n }
println("${seen} of 0 rows are seen")
for _ in 20 {
  assert(os.read_file(path + ".locked")? == "")
  sleep(1ms)
}
assert(os.run("true", [])?.status == 0)
println("files and programs go on")

// All of these are over while the lock is held.
short, codes := sqlite.open(path, timeout: 20ms)?, {}
tasks := []
for i in SIZE { tasks.push(go short.exec("insert into t values(?)", i)) }
for _ in 3 { tasks.push(go short.transaction(func(tx) => tx.exec("delete from t"))) }
for task in tasks {
  _, err := <-task
  codes[(if err == nil { "done" } else { err.code })] = true
}
println(codes)
println((if short.one("select count(*) as n from t")?.n == 0 { "nothing was written" } else { "written" }))

os.write_file(path + ".go", "")?
for waiter in waiters {
  changed, err := <-waiter
  assert(changed == 1, err)
}
result, _ := <-holder
assert(result.status == 0, result.err)
rows := short.one("select count(*) as n, count(distinct a) as different, min(a) as least from t")?
println((if rows.n == SIZE * EACH + 1 && rows.different == rows.n && rows.least == -1 { "all are written" } else { rows }))
for db in databases { db.close() }
short.close()
END
"$CSPVM" --max-threads 64 "$TMPDIR/script.csp" "$TMPDIR/a.db" "$TMPDIR/holder.py"
