# A text that standard error does not take makes its goroutine wait, and no
# other, also where there is one P. (The script holds the pipe open.)
set -eu
cat > "$TMPDIR/main.csp" <<'END'
import "fmt"
import "sched"
write := [func(text) => fmt.eprint(text), func(text) => fmt.eprintln(text),
  func(text) => fmt.eprintf("%s", text)]
for f in write {
  go f("x".repeat(1 << 20))
  sched.yield()
}
println("others run")
END
mkfifo "$TMPDIR/pipe"
exec 3<> "$TMPDIR/pipe"
"$CSPVM" --procs 1 "$TMPDIR/main.csp" 2>&3
# expect: others run
