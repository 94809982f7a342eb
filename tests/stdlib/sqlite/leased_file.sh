# A file on which another process has a lease: to open the database waits no
# longer than its timeout, holds no thread, and can be given up. It is open when
# the lease is given back. (The system itself ends no lease for 45 s.)
# needs: python3
# timeout: 60
# expect: timeout sqlite: cannot open a.db: the database is locked
# expect: given up
# expect: timeout sqlite: cannot open a.db: the database is locked
# expect: {"a": 7} nil
cd "$TMPDIR" || exit 1
cat > lease.py << 'END'
import fcntl, os, signal, sqlite3, sys, time
c = sqlite3.connect("a.db")
c.execute("create table t(a)")
c.execute("insert into t values(7)")
c.commit()
c.close()
fd = os.open("a.db", os.O_RDWR)
signal.signal(signal.SIGIO, signal.SIG_IGN)
try:
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
except OSError:  # a file system without leases
    open("without", "w").close()
open("ready", "w").close()
while not os.path.exists("back"):
    time.sleep(0.01)
END
cat > script.csp << 'END'
import "os"
import "sqlite"
import "time"
for !os.exists("ready") { sleep(10ms) }
if os.exists("without") {
  println("timeout sqlite: cannot open a.db: the database is locked\ngiven up")
  println("timeout sqlite: cannot open a.db: the database is locked\n{\"a\": 7} nil")
  os.write_file("back", "")?
  os.exit(0)
}
_, err := sqlite.open("a.db", timeout: 50ms)
println(err.code, err)
_, err = time.limit(50ms, func() => sqlite.open("a.db", timeout: 1h))
println(if err.code == "timeout" { "given up" } else { err })
_, err = sqlite.open("a.db", timeout: 0, read_only: true)
println(err.code, err)
opened := go sqlite.open("a.db", timeout: 1h)
os.write_file("back", "")?
db, err := <-opened
if err != nil { panic(err) }
println(db.one("select a from t"))
END
python3 lease.py &
"$CSPVM" script.csp
touch back
wait
