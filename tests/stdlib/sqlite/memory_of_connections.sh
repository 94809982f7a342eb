# What connections and their statements hold counts: those that nobody has are
# closed by a collection, those that are closed hold nothing, and too many are
# an error.
# timeout: 60
# expect: 3000 dropped
# expect: 3000 closed
# expect: kept: out of memory: the limit is 32 MB
# expect: full: true, enough: true
# expect: again: 1
# expect: below 80 MB
# once: one thread
# small: CSPDEBUG=
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "sqlite"
import "strings"
for i in 3000 { sqlite.open(":memory:")? }
println("3000 dropped")
kept := []
for i in 3000 {
  db := sqlite.open(":memory:")?
  db.close()
  kept.push(db)
}
println(len(kept), "closed")
func fails(what, f) {
  kept.clear()
  _, err := try(func() { for i in 10_000 { kept.push(f()) } })
  println("${what}: ${err}")
}
fails("kept", func() => sqlite.open(":memory:")?)
// Tables of 100 KB.
kept.clear()
_, err := try(func() {
  for i in 10_000 {
    db := sqlite.open(":memory:")?
    kept.push(db)
    db.exec("create table t(v); insert into t values(zeroblob(100000))")?
  }
})
full := err.code in ["memory", "no_space", "too_long"] || err.message.contains("out of memory")
println("full: ${full}, enough: ${len(kept) > 50 && len(kept) < 300}")
kept.clear()
println("again:", sqlite.open(":memory:")?.one("select 1 as n")?.n)
for line in os.read_file("/proc/self/status")?.lines() {
  if line.has_prefix("VmHWM") {
    kb := strings.parse_int(line.fields()[1])?
    println((if kb < 80_000 { "below 80 MB" } else { "${kb} KB" }))
  }
}
END
# (A sanitizer keeps what was freed.)
case $(nm "$CSPVM") in
*__asan* | *__tsan*) hide='s/^[0-9]* KB$/below 80 MB/' ;;
*) hide= ;;
esac
"$CSPVM" --max-memory 32 "$TMPDIR/a.csp" | sed "$hide"
