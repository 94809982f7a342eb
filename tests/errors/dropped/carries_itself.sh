# A deferred call gives the error with which the function leaves, or two errors
# carry each other: each is told of once. A report of that took seconds and
# hundreds of megabytes.
# expect: error: connection reset
# expect:   Conn.read at FILE:4:19
# expect:   work at FILE:9:19
# expect:   at FILE:12:7
# expect: panic: x
# expect:   main at FILE:7:13
# expect:   also: y
# expect:
# expect: goroutine 1 [running]:
# expect:   main at FILE:13:5
file=$TMPDIR/a.csp
cat > "$file" << 'END'
struct Conn { failed = nil }
func (c Conn) read() {
  // the connection keeps it
  c.failed = error("connection reset"); return nil, c.failed
}
func (c Conn) close() => c.failed
func work() {
  c := Conn(); defer c.close()
  text := c.read()?
  return text, nil
}
work()?
END
"$CSPVM" "$file" 2>&1 | sed "s|$file|FILE|"
cat > "$file" << 'END'
func give(e) => e
func carries(e, other) {
  defer give(other)
  return e
}
func main() {
  x := error("x")
  y := error("y")
  _ = carries(x, y)
  _ = carries(y, x)
  return x
}
main()
END
"$CSPVM" "$file" 2>&1 | sed "s|$file|FILE|"
