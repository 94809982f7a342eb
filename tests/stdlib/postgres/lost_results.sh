# Messages for which libpq forgets a result that it has, 2 KB each time, or
# keeps something for ever: with a limit of memory they do not reach it.
# (LeakSanitizer had found such a result.) What servers may say goes through, in
# any pieces.
# timeout: 120
# small: CSPDEBUG=
# expect: rows, then t: invalid the server sent a message that does not belong there
# expect: rows, then G: invalid the server sent a message that does not belong there
# expect: rows, then H: invalid the server sent a message that does not belong there
# expect: rows, then W: invalid the server sent a message that does not belong there
# expect: many t: invalid the server sent a message that does not belong there
# expect: settings without end: invalid the server sent a message that does not belong there
# expect: notifications without end: ends
# expect: one setting 5000 times: 1
# expect: byte by byte: 1
# expect: below 100 MB
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "os"
import "postgres"
import "strings"
import "time"
func number(n, size = 4) => bytes(size).set_int(0, size, n, "big")
func message(kind, body = "") => bytes(kind).push(number(len(body) + 4), body)
const IDLE = message("Z", "I")
const T = message("T", number(1, 2).push("x\x00", number(0), number(0, 2), number(23), number(4, 2), number(-1), number(0, 2)))
const D = message("D", number(1, 2).push(number(1), "7"))
const DONE = copy(T).push(D, message("C", "UPDATE 1\x00"), IDLE)
func packet(c, first) {
  head, err := c.read_exact((if first { 4 } else { 5 }))
  if err != nil { return nil }
  _, err = c.read_exact(bytes(head).get_uint(len(head) - 4, 4, "big") - 4)
  return if err != nil { nil } else { head[:1] }
}
func serve(c, answer) {
  if packet(c, true) == nil { return }
  _ = c.write(message("R", number(0)).push(message("S", "client_encoding\x00UTF8\x00"), IDLE))
  _ = packet(c, false)
  _ = c.write(message("C", "SET\x00"), IDLE)
  if packet(c, false) != nil { answer(c) }
  _ = packet(c, false)
}
func ask(name, answer) {
  listener := net.listen("127.0.0.1:0")?
  defer listener.close()
  go { _ = listener.serve(func(c) => serve(c, answer)) }
  db := postgres.open("postgresql://ada@127.0.0.1:${listener.address().split(":")[1]}/x?sslmode=disable", most: 1)?
  defer db.close()
  changes, err := time.limit((if name.has_prefix("notif") { 200ms } else { 60s }), func() => db.exec("x"))
  // Which of the two limits is met first depends on the machine.
  if name.has_prefix("notif") {
    println("${name}:", (if ["timeout", "memory"].contains(err.code) { "ends" } else { err }))
    return nil
  }
  println("${name}:", (if err == nil { changes } else { "${err.code} ${err.message.trim_prefix("postgres: ")}" }))
  return nil
}
func says(data) => func(c) { _ = c.write(data) }
none := number(0, 2)
ask("rows, then t", says(copy(T).push(message("t", none))))?
for kind in ["G", "H", "W"] { ask("rows, then ${kind}", says(copy(T).push(message(kind, bytes("\x00").push(none)))))? }
ask("many t", says(bytes(str(message("t", none)).repeat(10_000))))?
ask("settings without end", func(c) {
  for n := 0; ; n += 500 {
    if c.write(list(n..n + 500).map(func(n) => str(message("S", "name${n}\x00x\x00"))).join("")) != nil { return }
  }
})?
many := str(message("A", "\x00\x00\x00\x00c\x00t\x00")).repeat(10_000)
ask("notifications without end", func(c) {
  for c.write(many) == nil { }
})?
ask("one setting 5000 times", says(bytes(str(message("S", "TimeZone\x00UTC\x00")).repeat(5000)).push(DONE)))?
ask("byte by byte", func(c) {
  for n in len(DONE) {
    _ = c.write(DONE[n:n + 1])
    sleep(1ms)
  }
})?
for line in os.read_file("/proc/self/status")?.lines() {
  if line.has_prefix("VmHWM") {
    kb := strings.parse_int(line.fields()[1])?
    println((if kb < 100_000 { "below 100 MB" } else { "${kb} KB" }))
  }
}
END
# (A sanitizer keeps what was freed.)
case $(nm "$CSPVM") in
*__asan* | *__tsan*) hide='s/^[0-9]* KB$/below 100 MB/' ;;
*) hide= ;;
esac
"$CSPVM" --max-memory 64 "$TMPDIR/a.csp" | sed "$hide"
