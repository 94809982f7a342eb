# Memory is out where a pool dials, or ends a connection. Both are done by
# goroutines of the pool, and a panic of one ended the program. A call waited to
# its limit for a dial that had panicked.
# timeout: 100
# small: CSPDEBUG=
# expect: 0
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "postgres"
import "time"

func message(kind, body = "") => kind + bytes(4).set_int(0, 4, len(body) + 4, "big").to_string() + body
const READY = message("Z", "I")

// It ends each connection after the settings.
func serve(c) {
  size := c.read_exact(4)?.bytes().get_uint(0, 4, "big")
  body := c.read_exact(size - 4)?
  if body[:4] == "\x04\xd2\x16\x2e" { return nil }
  c.write(message("R", "\x00".repeat(4)) + READY)?
  head := c.read_exact(5)?.bytes()
  c.read_exact(head.get_uint(1, 4, "big") - 4)?
  c.write(message("C", "SET\x00") + READY)?
}
listener := net.listen("127.0.0.1:0")?
go { _ = listener.serve(func(c) { _ = try(serve, c) }) }
url := "postgresql://ada@127.0.0.1:${listener.address().split(":")[1]}/x?sslmode=disable&hostaddr=127.0.0.1"
lost := 0
for round in 60 {
  db, _ := try(func() => postgres.open(url, most: 1, timeout: 60ms))
  if db == nil { continue }
  sleep(1ms)
  ballast := []
  _ = try(func() { for { ballast.push(bytes(1000)) } })
  for _ in round % 12 { ballast.pop() }
  _ = try(func() => time.limit(100ms, func() => db.exec("select 1")))
  ballast = []
  _, err := try(func() => db.exec("select 1"))
  if err != nil && err.code == "timeout" && err.message.contains("in use") { lost++ }
  _ = try(func() => db.close())
}
println(lost)
END
"$CSPVM" --max-memory 6 "$TMPDIR/a.csp" 2> "$TMPDIR/err"
! grep -A9 panic "$TMPDIR/err"
