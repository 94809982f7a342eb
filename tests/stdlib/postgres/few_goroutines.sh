# A place whose connection had ended was dialled for in a goroutine of its own.
# Where the program may have no more of them, the call panicked. It dials itself
# then.
# timeout: 60
# expect: 0 nil
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "postgres"
import "sched"

func message(kind, body = "") => kind + bytes(4).set_int(0, 4, len(body) + 4, "big").to_string() + body
const READY = message("Z", "I")

func serve(c, is_first) {
  size := c.read_exact(4)?.bytes().get_uint(0, 4, "big")
  c.read_exact(size - 4)?
  c.write(message("R", "\x00".repeat(4)) + READY)?
  for n := 0; !is_first || n == 0; n++ {
    head := c.read_exact(5)?.bytes()
    c.read_exact(head.get_uint(1, 4, "big") - 4)?
    c.write(message("C", "SET\x00") + READY)?
  }
}
listener := net.listen("127.0.0.1:0")?
served, stops := chan(1), chan()
go {
  for i in 2 {
    c := listener.accept()?
    _ = try(serve, c, i == 0)
    c.close()
    if i == 0 { served <- true }
  }
}
port := listener.address().split(":")[1]
db := postgres.open("postgresql://ada@127.0.0.1:${port}/x?sslmode=disable&hostaddr=127.0.0.1", most: 1)?
<-served
for err := nil; err == nil; { _, err = try(func() { sched.background(func() { <-stops }) }) }
println(db.exec("select 1"))
close(stops)
db.close()
END
"$CSPVM" --max-goroutines 20 "$TMPDIR/a.csp"
