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
. tests/stdlib/tls/lib/cut.sh
cat > script.csp << 'END'
import "time"
import "./cut"

func end_after(f) => cut.end_after(cut.server, cut.client, f)

func cancelled(c, text) {
  _, err := time.limit(20ms, func() { c.write(text) })
  println("write:", cut.code(err))
}

println("cancelled:", end_after(func(c, let, begun) { cancelled(c, cut.big) }))
println("late:", end_after(func(c, let, begun) {
  c.stall(20ms)
  println("write:", cut.code(c.write(cut.big)))
}))
println("before its turn:", end_after(func(c, let, begun) {
  writer := go c.write(cut.big)
  sleep(5ms)
  cancelled(c, "more")
  let()
  println("the other one:", <-writer)
}))
println("close_write:", end_after(func(c, let, begun) {
  cancelled(c, cut.big)
  let()
  sleep(50ms)
  println("end:", cut.code(c.close_write()))
}))
println("whole:", end_after(func(c, let, begun) { println("write:", c.write("all of it")) }))
cut.listener.close()
END
"$CSPVM" script.csp
