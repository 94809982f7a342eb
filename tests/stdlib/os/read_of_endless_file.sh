# Reading an open file without an end can be ended, and leaves the file to
# others.
# expect: read_line deadline exceeded
# expect: read_all deadline exceeded
# expect: read deadline exceeded
# expect: read_bytes deadline exceeded
# expect: then 5
# timeout: 20
cat > "$TMPDIR/a.csp" <<"S"
import "os"
file := os.open("/dev/zero")?

func ended(name, read) {
  _, err := try(func() {
    group g {
      g.timeout(5ms)
      go read()
    }
  })
  println(name, err)
}

ended("read_line", func() => file.read_line())
ended("read_all", func() => file.read_all())
ended("read", func() => file.read(1 << 31))
ended("read_bytes", func() => file.read_bytes(1 << 31))
println("then", len(file.read(5)?))
S
"$CSPVM" --procs 2 --max-memory 1000 "$TMPDIR/a.csp"
