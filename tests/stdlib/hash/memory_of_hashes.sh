# What hashes that go on hold counts: those that nobody has are collected, and
# too many are an error.
# expect: 200000 dropped
# expect: kept: out of memory: the limit is 32 MB, enough: true
# expect: keyed: out of memory: the limit is 32 MB, enough: true
# expect: xxh3: out of memory: the limit is 32 MB, enough: true
# expect: below 70 MB
# once: one thread, as malloc keeps memory for each
# small: CSPDEBUG=
cat > "$TMPDIR/a.csp" << 'END'
import "hash"
import "os"
import "strings"
for i in 200_000 { hash.new("sha3_512") }
println("200000 dropped")
// One of them takes from 600 to 1200 bytes.
func fails(what, f) {
  kept := []
  _, err := try(func() { for { kept.push(f()) } })
  n := len(kept)
  kept.clear()
  println("${what}: ${err}, enough: ${n > 15_000 && n < 55_000}")
}
fails("kept", func() => hash.new("sha3_512"))
fails("keyed", func() => hash.new("sha3_512", "key"))
fails("xxh3", func() => hash.new("xxh3_128"))
for line in os.read_file("/proc/self/status")?.lines() {
  if line.has_prefix("VmHWM") {
    kb := strings.parse_int(line.fields()[1])?
    println((if kb < 70_000 { "below 70 MB" } else { "${kb} KB" }))
  }
}
END
# (A sanitizer keeps what was freed.)
case $(nm "$CSPVM") in
*__asan* | *__tsan*) hide='s/^[0-9]* KB$/below 70 MB/' ;;
*) hide= ;;
esac
"$CSPVM" --procs 1 --max-memory 32 "$TMPDIR/a.csp" | sed "$hide"
