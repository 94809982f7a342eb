# SPDX-License-Identifier: MIT
# What a cancelled goroutine has read of a line, or of all, is for the next
# reader. The script says when it has been cancelled; only then the rest comes.
mkfifo "$TMPDIR/input" "$TMPDIR/first" "$TMPDIR/second"
cat >"$TMPDIR/a.csp" <<'END'
import "os"
func cancelled(read, said) {
  group g {
    go read()
    go { sleep(20ms); g.cancel() }
  }
  os.write_file(os.args[0] + said, "more\n")
}
cancelled(os.read_line, "/first")
println(os.read_line())
cancelled(os.read_all_stdin, "/second")
println(os.read_all_stdin())
END
{
  printf 'half a '
  read -r _ <"$TMPDIR/first"
  printf 'line\nhalf of '
  read -r _ <"$TMPDIR/second"
  printf 'all'
} >"$TMPDIR/input" &
"$CSPVM" "$TMPDIR/a.csp" "$TMPDIR" <"$TMPDIR/input"
wait
# expect: half a line nil
# expect: half of all nil
