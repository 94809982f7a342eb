# With a limit of memory, what the server sends is bounded: a row without end, a
# huge value, and rows that are collected. Streams of more than that go on.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 300
# small: CSPDEBUG=
# expect: memory
# expect: out of memory: the limit is 64 MB
# expect: 1000
# expect: 200000000
# expect: 300
# expect: 300 30000000
# expect: memory
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "os"
import "postgres"
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 2)?
_, err := db.one("select repeat('x', 200000000) as t")
println(err.code)
_, err = try(db.all, "select n, 'text of a row' as text from generate_series(1, 3000000) n")
println(err)
size, n := 0, 0
for row in db.query("select repeat('x', 200000) as t from generate_series(1, 1000)")? {
  size += len(row.t)
  n++
}
println(n)
println(size)
db.exec("create table big(t text)")?
pieces := list(0..300).map(func(i) => "${i % 10}".repeat(99_999) + "\n")
println(db.copy_in("copy big from stdin", pieces)?)
size = 0
println(db.copy_out("copy big to stdout", func(piece) { size += len(piece) })?, size)
// A server that says a row has 1 GB, and sends.
listener := net.listen("127.0.0.1:0")?
go {
  _ = listener.serve(func(c) {
    _ = c.read()
    _ = c.write("R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I")
    _ = c.read()
    _ = c.write("C\x00\x00\x00\x08SET\x00Z\x00\x00\x00\x05I")
    _ = c.read()
    _ = c.write("T\x00\x00\x00\x1b\x00\x01xx\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x19\xff\xff\xff\xff\xff\xff\x00\x00")
    _ = c.write("D\x3f\xff\xff\xff\x00\x01\x3f\xff\xff\x00")
    piece := "x".repeat(1 << 16)
    for c.write(piece) == nil { sleep(1ms) }
  })
}
fake := postgres.open("postgresql://ada@127.0.0.1:${listener.address().split(":")[1]}/x?sslmode=disable")?
_, err = fake.exec("x")
println(err.code)
listener.close()
END
export PGPORT
"$CSPVM" --max-memory 64 "$TMPDIR/a.csp"
