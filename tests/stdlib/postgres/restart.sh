# The server is killed and started again while goroutines move money and read.
# Calls fail with codes, what comes later finds the new server, and no
# transaction is half done: what was committed is there, and the sum is right.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 300
# small: SIZE=5
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "postgres"
import "rand"
import "sync"
func shell(command) {
  r := os.run("bash", ["-c", ". tests/stdlib/postgres/lib/server.sh; ${command}"])?
  if r.status != 0 { return error("${command}: ${r.out} ${r.err}") }
}
const SIZE = int(os.env("SIZE") ?? "200")
const ACCOUNTS = 20
db := postgres.open("postgresql:///postgres?host=${os.env("TMPDIR")}/sockets&port=${os.env("PGPORT")}&user=ada", most: 5)?
db.exec("create table accounts(id int primary key, cents int not null); create table moves(id text primary key)")?
for i in ACCOUNTS { db.exec("insert into accounts values($1, 1000)", i)? }
listener := db.listen("news")?
good, failures, ends := sync.counter(), sync.counter(), chan()
codes, lock, committed := {}, sync.mutex(), []
func failed(err) {
  failures.add(1)
  lock.with(func() { codes[err.code] = true })
  sleep(1ms)
}
func is_over() {
  select {
  case <-ends: return true
  default: return false
  }
}
func move(who) {
  for n := 0; !is_over(); n++ {
    from, to := rand.int(ACCOUNTS), rand.int(ACCOUNTS)
    if from > to { from, to = to, from }
    _, err := db.transaction(func(tx) {
      tx.exec("insert into moves values($1)", "${who} ${n}")?
      tx.exec("update accounts set cents = cents - 7 where id = $1", from)?
      tx.exec("update accounts set cents = cents + 7 where id = $1", to)?
    })
    if err != nil {
      failed(err)
    } else {
      good.add(1)
      lock.with(func() { committed.push("${who} ${n}") })
    }
  }
}
func read() {
  for !is_over() {
    row, err := db.one("select sum(cents) as sum from accounts")
    if err != nil { failed(err) } else if row.sum != ACCOUNTS * 1000 { println("wrong sum", row.sum) } else { good.add(1) }
    sum := 0
    _, err = try(func() { for row in db.query("select cents from accounts cross join generate_series(1, 50)")? { sum += row.cents } })
    if err == nil && sum != ACCOUNTS * 1000 * 50 { println("wrong rows", sum) }
  }
}
func wait(c, more) {
  n := c.get()
  for c.get() < n + more { sleep(1ms) }
}
group {
  for who in 6 { go move(who) }
  for _ in 2 { go read() }
  for _ in 2 {
    wait(good, SIZE)
    shell("stop")?
    wait(failures, 20)
    shell("start")?
    wait(good, SIZE)
  }
  close(ends)
}
println(<-listener.messages, listener.failure().code)  // expect: nil closed
// closed: the connection broke. The others are from the time without a server,
// of one that starts, and of one whose processes are killed one by one.
for code in ["closed", "reset", "refused", "not_found", "57P03", "57P02", "57P01"] { delete(codes, code) }
println(codes)                                       // expect: {}
println(db.one("select sum(cents) as s from accounts")?)  // expect: {"s": 20000}
missing := 0
for id in committed { if db.one("select 1 as x from moves where id = $1", id)? == nil { missing++ } }
println(missing)                                     // expect: 0

// What runs when the server dies, gets an error. The next call connects anew.
const RUNNING = "select count(*) as n from pg_stat_activity where query like 'select pg_sleep(1000)%' and state = 'active'"
job := go db.exec("select pg_sleep(1000)")
for db.one(RUNNING)?.n == 0 { sleep(1ms) }
shell("stop")?
_, err := <-job
println(err.code)                                    // expect: closed
_, err = db.exec("select 1")
// Other connections of the pool may end a moment later.
for err.code == "closed" { _, err = db.exec("select 1") }
println(err.code)                                    // expect: not_found
_, err = db.listen("x")
println(err.code)                                    // expect: not_found
shell("start")?
println(db.one("select 1 as x"))                     // expect: {"x": 1} nil
db.close()
CSP
export PGPORT
"$CSPVM" "$TMPDIR/script.csp"
