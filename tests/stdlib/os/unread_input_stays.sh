# What has no position keeps what was read ahead of it, whatever is done with
# the file: tell, seek, write. The error of tell is told.
# expect: a
# expect: true true
# expect: b
# expect: one
# expect: nil nil
# expect: two
# expect: three
cat > "$TMPDIR/tell.csp" <<"S"
import "os"
println(os.read_line()?)
_, told := os.stdin.tell()
_, sought := os.stdin.seek(-1, "current")
println(told != nil, sought != nil)
println(os.read_line()?)
S
printf 'a\nb\nc\n' | "$CSPVM" "$TMPDIR/tell.csp"

mkfifo "$TMPDIR/fifo"
cat > "$TMPDIR/write.csp" <<"S"
import "os"
f := os.open(os.args[0], "r+")?
f.write("one\ntwo\n")
f.flush()
println(f.read_line()?)
println(f.write("three\n"), f.flush())
println(f.read_line()?)
println(f.read_line()?)
f.close()
S
"$CSPVM" "$TMPDIR/write.csp" "$TMPDIR/fifo"
