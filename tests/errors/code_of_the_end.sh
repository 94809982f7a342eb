# What ends the program from outside has a code, too: a signal, and the limit
# on memory.
# expect: cancelled cancelled
# expect: out of memory: the limit is 16 MB memory
cd "$TMPDIR" || exit 1
cat > waits.csp << 'END'
import "os"
func waits() {
  defer func() {
    e := recover()
    println(e, e.code)
  }()
  os.write_file("began", "")?
  sleep(1h)
}
waits()
END
"$CSPVM" waits.csp &
until [ -e began ]; do sleep 0.01; done
kill -TERM $!
wait $!
cat > full.csp << 'END'
func full() {
  all := []
  for { all.push(bytes(100_000)) }
}
_, err := try(full)
println(err, err.code)
END
"$CSPVM" --max-memory 16 full.csp
