# The file system is full. That was "disk I/O error" with the code "io" where
# the index of the log found no room, which is written when a database is
# opened, and again as the log grows. Nothing is half done.
# needs: unshare mount
# timeout: 120
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "sqlite"
codes := {}
func open(room) {
  for path in os.glob("/mnt/*")? { os.remove(path)? }
  os.write_file("/mnt/fill", bytes((2 << 20) - room * 1024))?
  db := sqlite.open("/mnt/a.db")?
  defer db.close()
  db.exec("create table t(x)")?
  db.exec("insert into t values(zeroblob(20000))")?
}
for room in (0..100).by(4) {
  err := open(room)
  codes[(if err == nil { "well" } else { err.code })] = true
}
println(codes)                           // expect: {"no_space": true, "well": true}

for path in os.glob("/mnt/*")? { os.remove(path)? }
db := sqlite.open("/mnt/a.db")?
db.exec("create table t(x); create table n(v); insert into n values(0)")?
done := 0
codes = {}
for _ in 40 {
  _, err := db.transaction(func(tx) {
    tx.exec("update n set v = v + 1")?
    tx.exec("insert into t values(?)", bytes(100_000))?
    tx.exec("update n set v = v + 1")?
  })
  if err == nil { done++ } else { codes[err.code] = true }
}
println(codes)                           // expect: {"no_space": true}
println(done > 5, db.one("select v from n")?.v == 2 * done, db.one("select count(*) as n from t")?.n == done)   // expect: true true true
println(db.backup("/mnt/b.db").code, os.exists("/mnt/b.db"))   // expect: no_space false
println(db.one("pragma integrity_check"))   // expect: {"integrity_check": "ok"} nil
CSP
unshare -Urnm bash -c 'mount -t tmpfs -o size=2m none /mnt && "$CSPVM" "$TMPDIR/script.csp"'
