# With a limit of memory, statements that want more end in an error. They are a
# huge value, a huge row, a text that grows, a database in memory that grows,
# and rows that are collected.
# timeout: 60
# expect: too_long
# expect: memory
# expect: too_long
# expect: memory
# expect: out of memory: the limit is 32 MB
# expect: 2
# expect: below 200 MB
cat > "$TMPDIR/a.csp" << 'END'
import "sqlite"
import "os"
import "strings"
db := sqlite.open(":memory:")?
const MANY = "with recursive r(n) as (select 1 union all select n + 1 from r limit 3000000)"
func show(sql) {
  v, err := try(db.one, sql)
  println((if err is error { err.code ?? err } else { len(str(v)) }))
}
show("select zeroblob(500000000) as b")
show("select " + ", ".repeat(0) + list(0..15).map(func(i) => "zeroblob(7000000) as b${i}").join(", "))
show("select replace(hex(zeroblob(1000000)), '0', 'a longer text') as s")
_, err := db.exec("create table t(v); insert into t ${MANY} select randomblob(100) from r")
println(err.code)
_, err = try(db.all, "${MANY} select n, 'text of a row' as text from r")
println(err)
println(db.one("select 1 + 1 as n")?.n)
for line in os.read_file("/proc/self/status")?.lines() {
  if line.has_prefix("VmHWM") {
    kb := strings.parse_int(line.fields()[1])?
    println((if kb < 200_000 { "below 200 MB" } else { "${kb} KB" }))
  }
}
END
# (A sanitizer keeps what was freed.)
case $(nm "$CSPVM") in
*__asan* | *__tsan*) hide='s/^[0-9]* KB$/below 200 MB/' ;;
*) hide= ;;
esac
"$CSPVM" --max-memory 32 "$TMPDIR/a.csp" | sed "$hide"
