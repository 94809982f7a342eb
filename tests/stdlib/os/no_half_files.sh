# What write_file and copy_file have made is removed when they fail or are given
# up in the middle. A file that was there before is cut short. One that somebody
# has put in its place is left alone.
# expect: write_file fails: File too large; there: false
# expect: write_file over another: File too large; there: true
# expect: write_file by a dangling link: File too large; there: true
# expect: copy_file fails: File too large; there: false
# expect: copy_file over another: File too large; there: true
# expect: append_file fails: File too large; there: true
# expect: copy_file cancelled: false
# expect: the source is there: true
# expect: copy_file over another cancelled: begun
# expect: another in its place: mine begun
# expect: write_file cancelled, half a file: false
cd "$TMPDIR" || exit 1
mkfifo fifo
head -c 30000 /dev/zero > from
cat > fails.csp << 'END'
import "os"
big := "x".repeat(30000)
func show(name, path, err) {
  why := err.message.split(": ").pop()
  println("${name}: ${why}; there: ${os.exists(path)}")
}
for name in ["old", "older"] { os.write_file(name, "old")? }
os.symlink("dangling", "link")?
show("write_file fails", "new", os.write_file("new", big))
show("write_file over another", "old", os.write_file("old", big))
show("write_file by a dangling link", "dangling", os.write_file("link", big))
show("copy_file fails", "copy", os.copy_file("from", "copy"))
show("copy_file over another", "older", os.copy_file("from", "older"))
show("append_file fails", "appended", os.append_file("appended", big))
END
cat > cancelled.csp << 'END'
import "os"

// Begins a copy from the FIFO, acts while it is in the middle, and cancels it.
func copy_cancelled(to, act) {
  group g {
    go os.copy_file("fifo", to)
    w := os.open("fifo", "w")?
    w.write("begun")?
    w.flush()?
    for size_of(to) != 5 { sleep(1ms) }
    act()
    g.cancel()
  }
}
func size_of(path) {
  info, _ := os.stat(path)
  if info == nil { return -1 }
  return info.size
}
copy_cancelled("target", func() { })
println("copy_file cancelled:", os.exists("target"))
println("the source is there:", os.exists("fifo"))
os.write_file("older", "older than that")?
copy_cancelled("older", func() { })
println("copy_file over another cancelled:", os.read_file("older")?)
copy_cancelled("target", func() {
  os.rename("target", "moved")?
  os.write_file("target", "mine")?
})
println("another in its place:", os.read_file("target")?, os.read_file("moved")?)

// It may be done before it is cancelled, but no half of it stays.
data := "x".repeat(64 << 20)
group g {
  go os.write_file("big", data)
  for !os.exists("big") { sleep(10us) }
  g.cancel()
}
size := size_of("big")
println("write_file cancelled, half a file:", size != -1 && size != len(data))
END
( trap '' XFSZ; ulimit -f 10; exec "$CSPVM" fails.csp )
"$CSPVM" --procs 2 cancelled.csp
