# The clients of Redis itself ask the example: one that reads lines, one that
# measures, and pipelines.
# needs: redis-cli
# small: SIZE=100
# timeout: 100
# expect: PONG
# expect: OK
# expect: hello
# expect: expires
# expect: 1
# expect:
# expect: 8
# expect: ERR unknown command "nope"
# expect:
# expect: measured: SET GET INCR
# expect: $2
# expect: in
# expect: -ERR Protocol error
coproc SERVER { exec "$CSPVM" examples/keys.csp 127.0.0.1:0; }
trap 'kill $SERVER_PID' EXIT
read -r _ _ _ address <&"${SERVER[0]}"
port=${address##*:}
ask() { redis-cli -p "$port" "$@"; }
ask ping
ask set greeting hello ex 60
ask get greeting
ttl=$(ask ttl greeting)
[ "$ttl" -gt 0 ] && [ "$ttl" -le 60 ] && echo expires
ask del greeting nothing
ask get greeting
for _ in 1 2 3 4 5 6 7; do ask incr n > /dev/null; done
ask incr n
ask nope
n=${SIZE:-10000}
measured=$(redis-benchmark -p "$port" -q -n "$n" -P 16 -t set,get,incr 2>&1 | tr '\r' '\n' |
  sed -n 's/^\([A-Z]*\): .*requests per second.*/\1/p')
echo measured: $measured
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'SET k in\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$x\r\n' >&3
tail -n +2 <&3 | tr -d '\r'
