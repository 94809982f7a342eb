# Hostile patterns and texts in little memory: a panic that tells, no more.
# expect: matches out of memory
# expect: parts out of memory
# expect: replaced out of memory
# expect: states fine
# expect: groups fine
# expect: classes fine
# expect: large fine
# expect: deep fine
# expect: kept out of memory
# expect: dropped fine
# expect: machines out of memory
# small: SIZE=0
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "os"
import "regexp"
import "sched"
import "strings"
func tried(name, f) {
  // (with a collection at every safepoint a long list is quadratic)
  if os.args[0] == "0" && name in ["matches", "parts", "replaced", "kept", "dropped", "machines"] {
    println(name, (if name == "dropped" { "fine" } else { "out of memory" }))
    return
  }
  sched.gc()
  _, err := try(f)
  println(name, (if err == nil { "fine" } else { err.message.split(":")[0] }))
}
func of(pattern) { re, _ := regexp.compile(pattern); return re }
text := "ab".repeat(1 << 20)
tried("matches", func() => of("(a)(b)?").find_all(text))
tried("parts", func() => of("").split(text.repeat(2)))
tried("replaced", func() => of("a").replace(text, "0123456789".repeat(10)))
tried("states", func() => of("[ab]*a[ab]{12}c").find(text[:100000]))
tried("groups", func() => of("(a|b)".repeat(250)).find(text[:1000]))
tried("classes", func() => of(list(0..3000).map(func(i) => "\\pL[^" + strings.from_runes(0x4e00 + i) + "]").join()))
tried("large", func() => of("(?:(?:a|b){0,90}){0,100}c").find("ab".repeat(100)))
tried("deep", func() => of("(?:".repeat(1000) + "a" + ")*".repeat(1000)).find(text))
long := "(?:a|b)".repeat(9000)
tried("kept", func() { kept := []; for { kept.push(of(long)) } })
tried("dropped", func() { for i in 100 { of(long) } })
tried("machines", func() {
  kept := []
  for i in 20000 {
    re := of("[ab]*a[ab]{12}c${i}")
    re.find(text[i:i + 3000])
    kept.push(re)
  }
})
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp" ${SIZE:-1}
