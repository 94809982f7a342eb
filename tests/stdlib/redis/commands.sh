# Commands and their replies, with a real server.
# needs: redis-server
# small: SIZE=30
# timeout: 200
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/script.csp" << 'CSP'
import "os"
import "redis"
const SIZE = int(os.env("SIZE") ?? "3000")
s := redis.open("unix:" + os.env("TMPDIR") + "/socket")?
println(s.call("SET", "k", "v")?, s.call("GET", "k")?, s.call("GET", "none")?)   // expect: OK v nil
println(s.call("INCR", "n")?, s.call("INCRBYFLOAT", "f", 1.5)?, s.call("DEL", "n", "none")?)   // expect: 1 1.5 1
all := ""
for b in 256 { all += bytes([b]).to_string() }
println(s.call("SET", bytes("b\r\n"), bytes(all))?, s.call("GET", "b\r\n")? == all)   // expect: OK true
s.call("SET", "empty", "")?
println(s.call("GET", "empty")? == "")                      // expect: true
large := "0123456789".repeat(3_000_000)
s.call("SET", "large", large)?
println(s.call("GET", "large")? == large)                   // expect: true
_, err := s.call("LPUSH", "k", 1)
println(err.code, "|", err.message)   // expect: WRONGTYPE | WRONGTYPE Operation against a key holding the wrong kind of value
_, err = s.call("EVALSHA", "0".repeat(40), 0)
println(err.code)                                           // expect: NOSCRIPT
_, err = s.call("NO_SUCH_COMMAND")
println(err.code)                                           // expect: ERR
_, err = s.call("EVAL", "return redis.error_reply('My own words')", 0)
println(err.code, err.message)                              // expect: ERR My own words

println(s.call("HSET", "h", "a", 1, "b", "x")?, s.call("HGETALL", "h")?)   // expect: 2 {"a": "1", "b": "x"}
println(s.call("RPUSH", "l", ["x", "y"]...)?, s.call("LRANGE", "l", 0, -1)?)   // expect: 2 ["x", "y"]
println(s.call("SADD", "set", "one")?, s.call("SMEMBERS", "set")?)    // expect: 1 ["one"]
println(s.call("ZADD", "z", 1.5, "m", "+inf", "max")?, s.call("ZRANGE", "z", 0, -1, "WITHSCORES")?)   // expect: 2 [["m", 1.5], ["max", inf]]
println(s.call("EVAL", "redis.setresp(3); return {true, false, {double=-2.5}, {map={[1]='one'}}, {set={x=true}}}", 0)?)   // expect: [true, false, -2.5, {1: "one"}, ["x"]]
println(s.call("EVAL", "redis.setresp(3); return {{big_number='-12'}, {big_number='123456789012345678901'}}", 0)?)   // expect: [-12, "123456789012345678901"]
println(s.call("EVAL", "redis.setresp(3); return {verbatim_string={format='txt', string='a\\nb'}}", 0)? == "a\nb")   // expect: true
for kind in ["string", "integer", "double", "null", "array", "set", "map", "attrib", "push", "verbatim", "true", "false"] {
  println(kind, s.call("DEBUG", "PROTOCOL", kind)?)
}
// expect: string Hello World
// expect: integer 12345
// expect: double 3.141
// expect: null nil
// expect: array [0, 1, 2]
// expect: set [0, 1, 2]
// expect: map {0: false, 1: true, 2: false}
// expect: attrib Some real reply following the attribute
// expect: push Some real reply following the push reply
// expect: verbatim This is a verbatim

// expect: string
// expect: true true
// expect: false false
println(s.call("DEBUG", "PROTOCOL", "bignum")?)             // expect: 1234567999999999999999999999999999999

println(s.pipeline(func(p) {
  p.call("SET", "k", 1)
  p.call("LPUSH", "k", 1)
  p.call("INCR", "k")
})?)                                                        // expect: ["OK", error("WRONGTYPE Operation against a key holding the wrong kind of value"), 2]
println(s.pipeline(func(p) { }))                            // expect: [] nil
println(len(s.pipeline(func(p) { for i in SIZE { p.call("RPUSH", "long", i) } })?) == SIZE, s.call("LLEN", "long")? == SIZE)   // expect: true true
println(s.transaction(func(t) { for _ in 2 { t.call("INCR", "k") } }))   // expect: [3, 4] nil
println(s.transaction(func(t) { }))                         // expect: [] nil
_, err = s.transaction(func(t) { t.call("INCR") })
println(err.code, "|", err.cause)   // expect: EXECABORT | ERR wrong number of arguments for 'incr' command

// A key that is watched: it was changed, then it was not.
func add_one(meanwhile) => s.alone(func(own) {
  own.call("WATCH", "k")?
  k := int(own.call("GET", "k")?)
  meanwhile()
  return own.transaction(func(t) { t.call("SET", "k", k + 1) })
})
println(add_one(func() { s.call("SET", "k", 10)? })?, add_one(func() { })?, s.call("GET", "k")?)   // expect: nil ["OK"] 11
println(s.alone(func(own) => own.call("WATCH", "k")))       // expect: OK nil
s.call("SET", "k", 5)?
println(s.alone(func(own) => own.transaction(func(t) { t.call("INCR", "k") })))   // expect: [6] nil
s.alone(func(own) => own.pipeline(func(p) { p.call("WATCH", "k") }))?
s.call("SET", "k", 5)?
println(s.alone(func(own) => own.transaction(func(t) { t.call("INCR", "k") })))   // expect: [6] nil
// One that waits holds nobody up.
waiting := go s.alone(func(own) => own.call("BLPOP", "jobs", 0), timeout: 0)
println(s.call("PING")?, s.call("RPUSH", "jobs", "job")?)   // expect: PONG 1
reply, _ := <-waiting
println(reply)                                          // expect: ["jobs", "job"]
kept := s.alone(func(own) => own)
_, err = try(func() => kept.call("PING"))
println(err)                                                // expect: this store belonged to a call of store.alone that has ended

s.call("FLUSHALL")?
s.pipeline(func(p) { for i in SIZE { p.call("SET", "user:${i}", i) } })?
s.call("SADD", "other", "x")?
seen := {}
for (key, err) in s.scan("user:*") {
  if err != nil { panic(err) }
  seen[key] = true
}
println(len(seen) == SIZE)                                  // expect: true
println(list(s.scan(type: "set", count: 1000)))             // expect: [("other", nil)]
s.call("HSET", "h", "a", 1, "b", 2)?
s.call("ZADD", "z", 2.5, "m")?
println(list(s.scan_in("HSCAN", "h")), list(s.scan_in("sscan", "other")), list(s.scan_in("ZSCAN", "z", match: "m")))   // expect: [(("a", "1"), nil), (("b", "2"), nil)] [("x", nil)] [(("m", "2.5"), nil)]
for (key, err) in s.scan_in("SSCAN", "h") { println(key, err.code) }   // expect: nil WRONGTYPE

other := redis.open("unix:" + os.env("TMPDIR") + "/socket", database: 3, connections: 3)?
println(other.call("DBSIZE")?, other.call("SET", "x", 1)?, s.call("EXISTS", "x")?)   // expect: 0 OK 0
other.close()
s.call("CONFIG", "SET", "requirepass", "secret")?
_, err = redis.open("unix:" + os.env("TMPDIR") + "/socket")
println(err.code)                                           // expect: NOAUTH
_, err = redis.open("unix:" + os.env("TMPDIR") + "/socket", password: "wrong")
println(err.code)                                           // expect: WRONGPASS
known := redis.open("unix:" + os.env("TMPDIR") + "/socket", password: "secret")?
println(known.call("ACL", "WHOAMI")?)                       // expect: default
known.call("ACL", "SETUSER", "ann", "on", ">hers", "~*", "+@read")?
ann := redis.open("unix:" + os.env("TMPDIR") + "/socket", user: "ann", password: "hers")?
_, err = ann.call("SET", "k", 1)
println(err.code)                                           // expect: NOPERM
_, err = ann.subscribe("news")
println(err.code)                                           // expect: NOPERM
ann.close()
known.close()
s.close()
s.close()
_, err = s.call("PING")
println(err.code)                                           // expect: closed
_, err = s.subscribe("x")
println(err.code)                                           // expect: closed
CSP
"$CSPVM" "$TMPDIR/script.csp"
