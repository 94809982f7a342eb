# A transaction was refused because memory was nearly out, and so was its
# rollback. The connection stayed in it, and what was written later was lost
# without an error.
# timeout: 60
# expect: file: memory, 1 nil, next: 1 nil
# expect: file: 2 nil
# expect: memory: memory, 1 nil, next: 1 nil
# expect: memory: 2 nil
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "sqlite"
ballast := []
func fill() {
  _ = try(func() { for { ballast.push(bytes(16_000)) } })
  ballast.pop()
  ballast.pop()
}
func many(tx) {
  for _ in 2000 {
    _, err := tx.exec("insert into t values(zeroblob(3000))")
    if err != nil { return nil, err }
  }
  return nil, nil
}
func show(what, path, other) {
  db := sqlite.open(path)?
  db.exec("create table t(x); create table n(x)")?
  _, err := db.transaction(func(tx) {
    tx.exec("insert into n values('never')")?
    fill()
    return many(tx)
  })
  ballast = []
  n, later := db.exec("insert into n values('later')")
  m, next := db.transaction(func(tx) => tx.exec("insert into n values('next')"))
  println("${what}: ${err.code}, ${n} ${later}, next: ${m} ${next}")
  seen, failed := (if other { sqlite.open(path)? } else { db }).one("select count(*) as n from n where x != 'never'")
  println("${what}: ${seen.n} ${failed}")
}
show("file", os.args[0], true)
show("memory", ":memory:", false)
END
"$CSPVM" --max-memory 8 "$TMPDIR/a.csp" "$TMPDIR/a.db"
