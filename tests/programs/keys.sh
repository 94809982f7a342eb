# The clients of Redis itself ask the example: one that reads lines, one that
# measures, and pipelines. A real server gets the same questions about lists.
# needs: redis-cli redis-benchmark redis-server
# small: SIZE=20
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
# expect: 60 answers about lists, as those of Redis
# expect: measured: PING_INLINE PING_MBULK SET GET INCR LPUSH RPUSH LPOP RPOP LPUSH LRANGE_100 LRANGE_300 MSET
# expect: errors: 0
# expect: pushed by clients at once: none is lost, and the order of each is kept
# expect: $2
# expect: in
# expect: -ERR Protocol error
. tests/stdlib/redis/lib/server.sh
coproc SERVER { exec "$CSPVM" examples/keys.csp 127.0.0.1:0; }
trap 'kill $SERVER_PID; stop' EXIT
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

cat > "$TMPDIR/questions" << 'END'
rpush a 1 2 3 4 5 6 7 8 9
lpush a 0 -1
llen a
get a
incr a
lpop a
rpop a
set text words
lpush text 1
llen text
lrange text 0 1
rpop text
lpush
lpush a
lrange a 0
lrange a 0 x
lrange a 0 9223372036854775807
lrange a -9223372036854775808 0
lrange a 9223372036854775807 -1
lrange a -9223372036854775808 -9223372036854775808
lpop none
llen none
lrange none 0 -1
mset x 1 y
mset x 1 y 2 x 3
get x
set a now-a-string
get a
rpush b one
rpop b
ttl b
rpop b
rpush b again
expire b -1
llen b
END
echo 'rpush c 0 1 2 3' >> "$TMPDIR/questions"
for from in -5 -4 -1 0 2 4; do
  for to in -5 -1 0 3; do echo "lrange c $from $to"; done
done >> "$TMPDIR/questions"
start || exit
ask < "$TMPDIR/questions" > "$TMPDIR/ours"
redis-cli -s "$TMPDIR/socket" < "$TMPDIR/questions" > "$TMPDIR/theirs"
diff "$TMPDIR/theirs" "$TMPDIR/ours" > "$TMPDIR/diff" && echo "$(grep -c . "$TMPDIR/questions") answers about lists, as those of Redis"
head -n 20 "$TMPDIR/diff"

n=${SIZE:-4000}
measure() { redis-benchmark -p "$port" -q -n "$1" -P 16 -t "$2" 2>&1 | tr '\r' '\n'; }
{
  measure "$n" ping,set,get,incr,lpush,rpush,lpop,rpop
  measure "$((n / 20))" lrange_100,lrange_300,mset
} > "$TMPDIR/measured"
echo measured: $(sed -n 's/^\([A-Z][A-Z_0-9]*\).*: .*requests per second.*/\1/p' "$TMPDIR/measured")
echo "errors: $(grep -ci 'error' "$TMPDIR/measured")"
clients=$((n < 60 ? 5 : 50))
each=$((n < 60 ? 2 : 60))
for client in $(seq $clients); do
  seq $each | sed "s/^/rpush all $client:/" | ask > /dev/null &
done
wait $(jobs -p | grep -v "$SERVER_PID")
ask lrange all 0 -1 > "$TMPDIR/all"
for client in $(seq $clients); do seq $each | sed "s/^/$client:/"; done > "$TMPDIR/wanted"
sort -s -t : -k 1,1n "$TMPDIR/all" | cmp - "$TMPDIR/wanted" &&
  echo "pushed by clients at once: none is lost, and the order of each is kept"
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'SET k in\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$x\r\n' >&3
tail -n +2 <&3 | tr -d '\r'
