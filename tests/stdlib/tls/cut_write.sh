# After a write that was not sent whole TLS does not say that all was: the
# other side must not take a part for the whole.
# expect: write: timeout
# expect: cancelled: told
# expect: write: timeout
# expect: late: told
# expect: write: timeout
# expect: the other one: nil
# expect: before its turn: told
# expect: write: timeout
# expect: end: closed
# expect: close_write: told
# expect: write: nil
# expect: whole: nil
# procs: 1,2,8
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "time"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
big := "x".repeat(30_000_000)

func code(err) => if err == nil { nil } else { err.code }

// Whether the other side's reads end with an error, after f and a close. It
// reads as soon as f is over, or lets it.
func end_after(f) {
  reads := chan(2)
  reader := go func() {
    c, _ := listener.accept()
    err := tls.server(c, config)
    if err != nil { return err.code }
    <-reads
    for {
      piece, err := c.read()
      if err != nil { return err.code }
      if piece == nil { return nil }
    }
  }()
  c, _ := tls.dial(listener.address(), roots: "root.pem", server_name: "localhost")
  f(c, func() { reads <- true })
  reads <- true
  sleep(50ms)  // until a good-bye could be sent
  c.close()
  how := <-reader
  return if ["tls", "reset"].contains(how) { "told" } else { how }
}

func cancelled(c, text) {
  _, err := time.limit(20ms, func() { c.write(text) })
  println("write:", code(err))
}

println("cancelled:", end_after(func(c, let) { cancelled(c, big) }))
println("late:", end_after(func(c, let) {
  c.stall(20ms)
  println("write:", code(c.write(big)))
}))
println("before its turn:", end_after(func(c, let) {
  writer := go c.write(big)
  sleep(5ms)
  cancelled(c, "more")
  let()
  println("the other one:", <-writer)
}))
println("close_write:", end_after(func(c, let) {
  cancelled(c, big)
  let()
  sleep(50ms)
  println("end:", code(c.close_write()))
}))
println("whole:", end_after(func(c, let) { println("write:", c.write("all of it")) }))
listener.close()
END
"$CSPVM" script.csp
