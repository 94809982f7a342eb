# check warns of `if err != nil { return err }` in a function that gives a value
# beside its error, where a caller takes both: that call would panic.
# expect: a.csp:4:26: warning: `err` is returned alone, but line 31 takes 2 values of `read`
# expect:       if err != nil { return err }
# expect:                              ^~~
# expect:     write `return nil, err`
# expect: warnings: 1
# expect: panic: read returned 1 value, 2 wanted
cd "$TMPDIR" || exit
cat > a.csp <<'END'
import "os"
func read(path) {
  text, err := os.read_file(path)
  if err != nil { return err }
  return text, nil
}
// These are right, or not certain.
func tried(path) {
  text, err := os.read_file(path)
  if err != nil { return err }
  return os.read_file(text)?, nil
}
func asked(path) {
  text, err := os.read_file(path)
  if err != nil { return err }
  return text, nil
}
func found(m) {
  v, ok := m["a"]
  if ok != nil { return ok }
  return v, nil
}
func either(path) {
  text, err := os.read_file(path)
  if err != nil {
    if path == "" { return err }
    return nil, err
  }
  return text, nil
}
a, b := read("/none")
c, d := tried("/none")
e := asked("/none")?
f, g := found({a: 1})
h, i := either("/none")
println(a, b, c, d, e, f, g, h, i)
END
"$CSPVM" check a.csp 2>&1
echo "warnings: $("$CSPVM" check a.csp 2>&1 | grep -c warning)"
"$CSPVM" a.csp 2>&1 | grep panic
