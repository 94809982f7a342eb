# With a limit of memory, what the server sends is bounded: a value that is
# larger than the limit, and a server that says that 500 MB follow, or
# millions of values, and sends. Each is an error, and the next call goes on.
# Many values, that are more than the limit together, are no matter.
# needs: redis-server
# timeout: 120
# small: CSPDEBUG=
# races: LIMITS=6,8
# expect: memory
# expect: 100000000
# expect: memory
# expect: memory
# expect: memory
# expect: OK
# expect: memory
# expect: 100000000
# expect: memory
# expect: memory
# expect: memory
# expect: OK
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END'
import "net"
import "os"
import "redis"
store := redis.open("unix:${os.env("TMPDIR")}/socket", connections: 1)?
store.call("SETRANGE", "huge", 99_999_999, "x")?
store.call("SETRANGE", "some", 199_999, "x")?
_, err := store.call("GET", "huge")
println(err.code)
size := 0
for _ in 500 { size += len(store.call("GET", "some")?) }
println(size)

// What each connection gets after its greeting, and then again and again.
floods := [["$500000000\r\n", "x".repeat(1 << 16)], ["*20000000\r\n", "$4\r\nabcd\r\n".repeat(5000)],
  ["*10000000\r\n", "*1\r\n+x\r\n".repeat(5000)], ["+OK\r\n", nil]]
listener := net.listen("127.0.0.1:0")?
go {
  _ = listener.serve(func(c) {
    for _ in 5 { c.read_line()? }
    c.write("%1\r\n+server\r\n+redis\r\n")?
    for _ in 5 { c.read_line()? }
    [begin, more] := floods.remove(0)
    _ = c.write(begin)
    for more != nil && c.write(more) == nil { }
    _ = c.read()
  })
}
fake := redis.open(listener.address(), connections: 1)?
for _ in 4 {
  value, err := fake.call("GET", "a")
  println(if err != nil { err.code } else { value })
}
END
for most in $(echo "${LIMITS:-8,16}" | tr , ' '); do
  "$CSPVM" --max-memory $most "$TMPDIR/a.csp"
done
