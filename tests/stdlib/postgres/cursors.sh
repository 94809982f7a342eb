# Rows that a transaction reads as they come, while it does other things: their
# number is more than memory has room for, and cursors end with the transaction.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 200
# small: CSPDEBUG=
# expect: 400000 400000
# expect: 600 [255, 256, 257] 300
# expect: 0 0 256
# expect: Point(x: 1, y: 2)
# expect: 3 1,2,3
# expect: closed postgres: the transaction is over
# expect: 22012 postgres: division by zero
# expect: 42601
# expect: work.cursor
# expect: 300
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 1)?
db.exec("create table seen(n int)")?
// 400,000 maps are more than the limit.
println(db.transaction(func(work) {
  count, last := 0, 0
  for row in work.cursor("select n, 'text of a row' as text from generate_series(1, $1) n", 400_000)? {
    count++
    last = row.n
  }
  return "${count} ${last}", nil
})?)
// Two at once, with other statements between their rows.
println(db.transaction(func(work) {
  others, count := work.cursor("select n from generate_series(1, 300) n")?, 0
  near := []
  for row in work.cursor("select n from generate_series(1, 600) n")? {
    if row.n % 2 == 0 && others().n == row.n / 2 { count++ }
    if row.n in [255, 256, 257] { near.push(row.n) }
    work.exec("insert into seen values($1)", row.n)?
  }
  return "${work.one("select count(*) as n from seen")?.n} ${near} ${count}", nil
})?)
// No rows, and as many as come at once.
println(db.transaction(func(work) {
  counts := []
  for most in [0, 0, 256] {
    n := 0
    for _ in work.cursor("select 1 as x from generate_series(1, $1)", most)? { n++ }
    counts.push(n)
  }
  return "${counts[0]} ${counts[1]} ${counts[2]}", nil
})?)
struct Point { x, y }
println(db.transaction(func(work) => work.as(Point).cursor("select 1 as x, 2 as y")?(), nil)?)
// One in a transaction within another, and one that was left.
println(db.transaction(func(work) {
  left := work.cursor("select n from generate_series(1, 9000) n")?
  _ = left()
  all := []
  for row in work.cursor("select n from generate_series(1, 3) n")? {
    work.transaction(func(inner) { for one in inner.cursor("select $1::int as n", row.n)? { all.push("${one.n}") } })?
  }
  return "${len(all)} ${all.join(",")}", nil
})?)
kept := nil
db.transaction(func(work) { kept = work.cursor("select 1 as x") ? })?
_, err := try(kept)
println(err.code, err)
_, err = try(db.transaction, func(work) {
  rows := work.cursor("select 1 / (300 - n) as x from generate_series(1, 600) n")?
  n := 0
  for row in rows { n++ }
  return n, nil
})
println(err.code, err)
_, err = db.transaction(func(work) => work.cursor("insert into seen values(1) returning n"))
println(err.code)
_, err = try(db.transaction, func(work) => work.cursor(1))
println("${err}".split(":")[0])
println(db.transaction(func(work) {
  n := 0
  for _ in work.cursor("select 1 as x from generate_series(1, 300)")? { n++ }
  return n, nil
})?)
END
export PGPORT
"$CSPVM" --max-memory 48 "$TMPDIR/a.csp"
