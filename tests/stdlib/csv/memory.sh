# Hostile texts in little memory: a panic that tells, no more.
# expect: rows out of memory: the limit is 32 MB
# expect: cells limit csv: line 1, column 1: the row has more than 1048576 cells
# expect: short rows out of memory: the limit is 32 MB
# expect: blank lines fine
# expect: comments fine
# expect: a cell fine
# expect: quotes fine
# expect: open quotes syntax csv: line 1, column 1: the text ends before these quotes do
# expect: names out of memory: the limit is 32 MB
# expect: maps out of memory: the limit is 32 MB
# expect: written out of memory: the limit is 32 MB
# expect: written quotes fine
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "csv"
import "sched"
func tried(name, f) {
  sched.gc()
  result, err := try(func() {
    _, err := f()
    return [err]
  })
  if err != nil { println(name, err) } else { println(name, if_wrong(result[0])) }
}
func if_wrong(err) => if err == nil { "fine" } else { "${err.code} ${err}" }
func read(text, header = false) => func() => csv.parse(text, header: header, comment: "#")
tried("rows", read("a,b,c\n".repeat(1 << 20)))
tried("cells", read(",".repeat(2 << 20)))
tried("short rows", read("a\n".repeat(1 << 20)))
tried("blank lines", read("\n".repeat(8 << 20)))
tried("comments", read("#\n".repeat(1 << 20) + "#" + " ".repeat(2 << 20)))
tried("a cell", read("a".repeat(4 << 20)))
tried("quotes", read("\"" + "\"\"".repeat(1 << 20) + "\""))
tried("open quotes", read("\"" + "a\n".repeat(1 << 20)))
tried("names", read(list(0..1000000).join(","), true))
tried("maps", read("a,b,c,d\n" + "1,2,3,4\n".repeat(1 << 19), true))
row := ["x".repeat(1 << 10)].repeat(100)
tried("written", func() => csv.text([row].repeat(1000)))
tried("written quotes", func() => csv.text([["\"".repeat(4 << 20)]]))
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp"
