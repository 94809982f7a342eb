# Hostile texts, and values that become long texts, in little memory: a panic
# that tells, no more.
# expect: lists out of memory: the limit is 32 MB
# expect: maps out of memory: the limit is 32 MB
# expect: small maps out of memory: the limit is 32 MB
# expect: open lists json: line 1, column 515: nested more than 512 deep
# expect: strings fine
# expect: a string fine
# expect: keys fine
# expect: shared out of memory: the limit is 32 MB
# expect: controls out of memory: the limit is 32 MB
# expect: indent fine
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "sched"
func tried(name, f) {
  sched.gc()
  _, err := try(f)
  println(name, err ?? "fine")
}
func read(text) => func() { json.parse(text) }
tried("lists", read("[" + "[],".repeat(1 << 20) + "[]]"))
tried("maps", read("[" + "{},".repeat(1 << 20) + "{}]"))
tried("small maps", read("[" + "{\"a\":{\"b\":1}},".repeat(1 << 18) + "1]"))
tried("open lists", read("[[".repeat(256) + "0," + "[0,".repeat(1 << 18)))
tried("strings", read("[" + "\"ab\",".repeat(1 << 20) + "1]"))
tried("a string", read("\"" + "\\u4e2d".repeat(1 << 20) + "\""))
tried("keys", read("{" + list(0..200000).map(func(i) => "\"key number ${i}\":0").join(",") + "}"))
shared := [1, 2]
for i in 22 { shared = [shared, shared] }
tried("shared", func() { json.text(shared) })
tried("controls", func() { json.text(["\x01".repeat(1 << 20)].repeat(8)) })
tried("indent", func() { json.text(list(0..2000).map(func(i) => [[[[[[[[[[i]]]]]]]]]]), 16) })
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp"
