# Hostile texts in little memory: an error or a panic that tells, no more.
# expect: tables out of memory: the limit is 32 MB
# expect: many tables out of memory: the limit is 32 MB
# expect: arrays out of memory: the limit is 32 MB
# expect: inline tables out of memory: the limit is 32 MB
# expect: open arrays toml: line 1, column 517: nested more than 512 deep
# expect: open tables toml: line 1, column 2561: nested more than 512 deep
# expect: dotted key toml: line 1, column 1: nested more than 512 deep
# expect: dotted header toml: line 1, column 1: nested more than 512 deep
# expect: a string fine
# expect: a key out of memory: the limit is 32 MB
# expect: keys fine
# expect: quotes out of memory: the limit is 32 MB
# small: CSPDEBUG=
# once: one thread, and the same each time
# timeout: 90
cat > "$TMPDIR/main.csp" <<'P'
import "sched"
import "toml"
func tried(name, f) {
  sched.gc()
  _, err := try(f)
  println(name, err ?? "fine")
}
func read(text) => func() => toml.parse(text)
tried("tables", read(list(0..200_000).map(func(i) => "[t${i}]\n").join()))
tried("many tables", read("[[t]]\n".repeat(500_000)))
tried("arrays", read("a = [" + "[],".repeat(1 << 20) + "]"))
tried("inline tables", read("a = [" + "{a.b = 1},".repeat(1 << 18) + "]"))
tried("open arrays", read("a = " + "[".repeat(1 << 21)))
tried("open tables", read("a = " + "{a = ".repeat(1 << 19)))
tried("dotted key", read("a.".repeat(1 << 20) + "a = 1"))
tried("dotted header", read("[" + "a.".repeat(1 << 20) + "a]"))
tried("a string", read("a = \"" + "\\u4e2d".repeat(1 << 19) + "\""))
tried("a key", read("\"" + "\\n".repeat(5 << 19) + "\" = 1"))
tried("keys", read(list(0..100_000).map(func(i) => "key_number_${i} = 0\n").join()))
tried("quotes", read("a = \"\"\"" + "\"\"\\\n\n".repeat(5 << 18) + "\"\"\""))
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp"
