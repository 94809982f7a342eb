# What a server and a program say to each other: values both ways, transactions,
# streams, COPY, notifications, TLS and passwords, and statements that are given
# up, which the server then stops.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv openssl
# timeout: 300
# small: SIZE=300
. tests/stdlib/postgres/lib/server.sh
prepare || exit
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMPDIR/key" -out "$TMPDIR/pem" \
  -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> "$TMPDIR/null"
cp "$TMPDIR/key" "$TMPDIR/pem" "$pg_data/"
[ "$(id -u)" != 0 ] || chown "$(as_user id -u)" "$pg_data/key" "$pg_data/pem"
chmod 600 "$pg_data/key"
sed -i '1i host all bo 127.0.0.1/32 scram-sha-256' "$pg_data/pg_hba.conf"
start -c ssl=on -c ssl_cert_file=pem -c ssl_key_file=key || exit
trap stop EXIT
cat > "$TMPDIR/values.csp" << 'CSP'
import "os"
import "postgres"
socket := "postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada"
db := postgres.open(socket, most: 2)?
db.exec("create table a(id int primary key, t text, b bytea, f float8, xs int[], ok bool, n numeric); create table log(x text)")?
println(db.exec("insert into a values($1,$2,$3,$4,$5,$6,$7)", 1, "ä", bytes("x\x00y"), 1.5, [1, nil, 3], true, "1.10")?)  // expect: 1
row := db.one("select * from a where id = $1", 1)?
println(row)  // expect: {"id": 1, "t": "ä", "b": bytes("x\x00y"), "f": 1.5, "xs": [1, nil, 3], "ok": true, "n": "1.10"}
println(db.one("select * from a where id = $1", 2))  // expect: nil nil
println(db.all("select 1 as x where $1::int is null", nil)?)  // expect: [{"x": 1}]
println(db.one("select '-9223372036854775808'::int8 as low, 32767::int2 as small, 1::oid as o, 0.1::float4 as f, '-Infinity'::float8 as i, 'NaN'::float8 as n")?)
// expect: {"low": -9223372036854775808, "small": 32767, "o": 1, "f": 0.1, "i": -inf, "n": nan}
println(db.one("select '2020-02-03 04:05:06+00'::timestamp as t, '2020-02-03'::date as d, '1 day 2:03'::interval as i, '{\"a\": 1}'::jsonb as j, null::int as n, ''::bytea as e")?)
// expect: {"t": "2020-02-03 04:05:06", "d": "2020-02-03", "i": "1 day 02:03:00", "j": "{\"a\": 1}", "n": nil, "e": bytes("")}
println(db.one("select $1::text[] as t, $2::bytea[] as b, $3::bool[] as o, $4::float8[][] as f, '[5:6]={1,2}'::int[] as x, '{}'::int[] as e", ["a,\"\\b", "NULL", nil, "", "{x}"], [bytes("\x00\xff")], [true, false], [[1.5], [2]])?)
// expect: {"t": ["a,\"\\b", "NULL", nil, "", "{x}"], "b": [bytes("\x00\xff")], "o": [true, false], "f": [[1.5], [2.0]], "x": [1, 2], "e": []}
struct Row { id, t, extra = "more" }
println(db.as(Row).all("select id, t from a")?)  // expect: [Row(id: 1, t: "ä", extra: "more")]
// More statements than are kept, twice, and a table that changes.
for i in 150 {
  row := db.one("select ${i % 75} as x, $1::int as y", i)?
  if row.x != i % 75 || row.y != i { println("wrong", i) }
}
println(len(db.one("select * from a")?))  // expect: 7
db.exec("alter table a drop column n")?
println(len(db.one("select * from a")?))  // expect: 6
db.exec("deallocate all")?
println(len(db.one("select * from a")?))  // expect: 6
// Errors have the server's codes.
for sql in ["insert into a(id) values(1)", "selec", "select * from none", "select 1/0", "select 1; select"] {
  _, err := db.exec(sql)
  println((if err == nil { nil } else { err.code }), err)
}
// expect: 23505 postgres: duplicate key value violates unique constraint "a_pkey" (Key (id)=(1) already exists.)
// expect: 42601 postgres: syntax error at or near "selec" at character 1
// expect: 42P01 postgres: relation "none" does not exist at character 15
// expect: 22012 postgres: division by zero
// expect: nil nil
_, err := db.one("select $1::text as x", "a\x00b")
println(err.code, err)  // expect: invalid postgres: a text cannot have a NUL byte, which $1 has
_, err = db.one("select $1::int as x", bytes("abcde"))
println(err.code)  // expect: 22P03
_, err = db.one("select $1::int as x")
println(err.code)  // expect: 08P01
for sql in ["begin", "copy a from stdin", "copy a to stdout"] {
  _, err := db.exec(sql)
  println(err.code, err)
}
// expect: invalid postgres: a transaction is begun and ended by pool.transaction alone, and an inner one by work.transaction, so "begin" was not sent
// expect: invalid postgres: copy_in and copy_out are for a COPY from stdin and to stdout
// expect: invalid postgres: copy_in and copy_out are for a COPY from stdin and to stdout
println(db.one("select count(*) as n from a")?)  // expect: {"n": 1}
// Transactions: all or nothing, and inner ones.
func note(on, x) => on.exec("insert into log values($1)", x)
println(db.transaction(func(tx) {
  note(tx, "one")?
  _, err := tx.transaction(func(tx) {
    note(tx, "inner")?
    tx.exec("select none")?
    return nil
  })
  println(err.code)                       // expect: 42703
  return tx.all("select x from log")
}))                                       // expect: [{"x": "one"}] nil
println(db.transaction(func(tx) {
  note(tx, "two")?
  return error("no")
}))                                       // expect: nil no
println(try(func() => db.transaction(func(tx) {
  note(tx, "three")
  panic(error("stop"))
})))                                      // expect: nil stop
_, err = db.transaction(func(tx) {
  note(tx, "four")
  _ = tx.exec("select none")
  return 1
})
println(err.code, err)  // expect: 25P02 postgres: an error before has rolled the transaction back
_, err = db.transaction(func(tx) { return tx.exec("commit") })
println(err.code)                         // expect: invalid
kept, _ := db.transaction(func(tx) => tx)
_, err = kept.exec("select 1")
println(err.code)                         // expect: closed
println(db.transaction(func(tx) => tx.one("show transaction_isolation"), isolation: "serializable")?)  // expect: {"transaction_isolation": "serializable"}
println(db.all("select * from log")?, kept)  // expect: [{"x": "one"}] <postgres transaction>
println(str(db) == "<postgres ${os.env("TMPDIR")}/sockets:${os.env("PGPORT")}/postgres>")  // expect: true
db.close()
_, err = db.exec("select 1")
println(err.code)                         // expect: closed
CSP
cat > "$TMPDIR/streams.csp" << 'CSP'
import "os"
import "postgres"
import "time"
const SIZE = int(os.env("SIZE") ?? "20000")
tcp := "postgresql://localhost:${os.env("PGPORT")}/postgres?user=ada&sslmode=verify-full&sslrootcert=${os.env("TMPDIR")}/pem"
db := postgres.open(tcp, most: 2)?
println(db.one("select ssl from pg_stat_ssl where pid = pg_backend_pid()")?)  // expect: {"ssl": true}
// Rows that are streamed are as many as rows that are not, over TLS, of all sizes.
total := 0
for row in db.query("select n, repeat('x', n * 37 % 20000) as t from generate_series(1, $1) n", SIZE)? {
  total += row.n
  if len(row.t) != row.n * 37 % 20_000 { println("wrong", row.n) }
}
println(total == SIZE * (SIZE + 1) / 2)   // expect: true
// Ten streams are open at once, and most are left in the middle.
streams := []
for _ in 10 { streams.push(db.query("select * from generate_series(1, 100000) n")?) }
for next in streams { println(next()) }   // expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
// expect: {"n": 1}
println(try(func() { for _ in db.query("select 1 / (1000 - n) as n from generate_series(1, 2000) n")? { } }))  // expect: nil postgres: division by zero
// COPY both ways, in pieces.
db.exec("create table c(n int, t text)")?
row := [0, "tab\tline\nback\\slash"]
rows := func() {
  row[0]++
  return if row[0] <= SIZE { row } else { nil }
}
println(db.copy_in("copy c from stdin", rows)? == SIZE)  // expect: true
got := db.one("select count(distinct n) as n, count(distinct t) as t, max(t) as m from c")?
println(got.n == SIZE, got.t, got.m == row[1])  // expect: true 1 true
println(db.copy_in("copy c from stdin", ["1\tq\n2", bytes("\tz"), "\n"])?)  // expect: 2
println(db.copy_in("copy c from stdin (format csv)", ["7,\"a b\"\n"])?)  // expect: 1
_, err := db.copy_in("copy c from stdin", ["x\ty\n"])
println(err.code)                         // expect: 22P02
println(try(func() => db.copy_in("copy c from stdin", func() { panic(error("source")) })))  // expect: nil source
_, err = db.copy_in("copy c to stdout", [])
println(err.code)                         // expect: invalid
_, err = db.copy_in("select 1", [])
println(err.code)                         // expect: invalid
lines, size := 0, 0
println(db.copy_out("copy c to stdout", func(piece) {
  size += len(piece)
  lines += str(piece).count("\n")
})? == SIZE + 3, lines == SIZE + 3)       // expect: true true
println(db.copy_out("copy c to stdout", func(piece) => error("enough")))  // expect: nil enough
println(db.transaction(func(tx) {
  tx.exec("truncate c")?
  tx.copy_in("copy c from stdin", [[1, nil], [2, "x"]])?
  tx.copy_out("copy c to stdout", func(piece) { println(piece) })?  // expect: bytes("1\t\\N\n2\tx\n")
  return error("back")
}))                                       // expect: nil back
println(db.one("select count(*) as n from c")?.n == SIZE + 3)  // expect: true

// Notifications, and the end of the server's process that sends them.
listener := db.listen(["news", "a\"b"])?
println(db.notify("news", "first"), db.notify("a\"b"))  // expect: nil nil
println(db.transaction(func(tx) {
  _ = tx.notify("news", "second")
  return error("dropped")
}))                                       // expect: nil dropped
println(db.transaction(func(tx) => tx.notify("news", "third")))  // expect: nil nil
for _ in 3 {
  m := <-listener.messages
  println(m.channel, m.text)
}
// expect: news first
// expect: a"b 
// expect: news third
listener.close()
println(<-listener.messages, listener.failure(), listener)  // expect: nil nil <postgres listening>
listener = db.listen("news", room: 1)?
for i in 5 { db.notify("news", str(i))? }
for i in 5 { if (<-listener.messages).text != str(i) { println("wrong", i) } }
db.exec("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'")?
println(<-listener.messages, listener.failure().code)  // expect: nil closed

// Deadlines and cancelled goroutines: the server stops.
const RUNNING = "select count(*) as n from pg_stat_activity where query like $1 || '%' and state = 'active' and pid <> pg_backend_pid()"
func wait(sql, n) { for db.one(RUNNING, sql)?.n != n { sleep(1ms) } }
func each(f) => try(func() {
  group g {
    go f()
    go {
      wait("select pg_sleep(1000)", 1)?
      g.cancel()
    }
  }
})
each(func() => db.exec("select pg_sleep(1000)"))
each(func() => db.transaction(func(tx) {
  tx.exec("insert into c values(-1)")?
  return tx.one("select pg_sleep(1000)")
}))
each(func() { for _ in db.query("select pg_sleep(1000) from generate_series(1, 100)")? { } })
wait("select pg_sleep(1000)", 0)?
println(db.one("select count(*) as n from c where n = -1")?)  // expect: {"n": 0}
println(time.limit(100ms, func() => db.exec("select pg_sleep(1000)")))  // expect: nil deadline exceeded
wait("select pg_sleep(1000)", 0)?
// In a transaction, what follows a statement that was given up fails.
_, err = db.transaction(func(tx) {
  _, late := time.limit(100ms, func() => tx.exec("select pg_sleep(1000)"))
  _, err := tx.exec("select 1")
  return (late.code, err.code), err
})
println(err.code)                         // expect: closed
wait("select pg_sleep(1000)", 0)?

// A pool whose connections are all in use, and one that is closed.
small := postgres.open(tcp, most: 1, timeout: 1s)?
job := go small.exec("select pg_sleep(1000)")
wait("select pg_sleep(1000)", 1)?
_, err = small.exec("select 1")
println(err.code, err)  // expect: timeout postgres: all connections were in use for longer than 1000 ms
patient := postgres.open(tcp, most: 1, timeout: 0)?
jobs := []
for _ in 3 { jobs.push(go patient.exec("select pg_sleep(1000)")) }
wait("select pg_sleep(1000)", 2)?
listener = patient.listen("x")?
patient.close()
small.close()
jobs.push(job)
for job in jobs {
  _, err := <-job
  println(err.code)
}
// expect: closed
// expect: closed
// expect: closed
// expect: closed
println(<-listener.messages, listener.failure().code)  // expect: nil closed
wait("select pg_sleep(1000)", 0)?

// What is refused when it connects.
func refused(address) {
  _, err := postgres.open(address, timeout: 60s)
  println(err.code)
}
db.exec("create role bo login password 'it''s \\ secret'")?
port := os.env("PGPORT")
println(postgres.open("postgresql://bo:it's%20%5C%20secret@127.0.0.1:${port}/postgres")?.one("select current_user as u")?)  // expect: {"u": "bo"}
refused("postgresql://bo:wrong@127.0.0.1:${port}/postgres")  // expect: 28P01
refused("postgresql://ada@127.0.0.1:${port}/none")           // expect: 3D000
refused("postgresql://ada@127.0.0.1:1/postgres")             // expect: refused
refused("postgresql:///postgres?user=ada&host=/none")        // expect: not_found
refused("postgresql://ada@no-name.invalid/postgres")         // expect: not_found
refused("postgresql://ada@127.0.0.1:${port}/postgres?sslmode=verify-full&sslrootcert=${os.env("TMPDIR")}/pem")  // expect: tls
refused("postgresql://127.0.0.1/postgres")                   // expect: invalid
refused("colour=red")                                        // expect: invalid
refused("service=x user=ada host=/tmp")                      // expect: unsupported
// The first host that answers is taken.
println(postgres.open("postgresql://ada@127.0.0.1:1,localhost:${port}/postgres?sslmode=disable")?.one("select 1 as x")?)  // expect: {"x": 1}
CSP
export PGPORT
for script in values streams; do "$CSPVM" "$TMPDIR/$script.csp"; done
