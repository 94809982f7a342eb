# Tests end their server by its number, which they keep in a file. When it had
# ended by itself, the number could be another process's, which was killed.
# needs: redis-server
# timeout: 60
# expect: the server answers: PONG
# expect: its number is another's: S
# expect: the server is stopped
# expect: the one with a port is stopped
. tests/stdlib/redis/lib/server.sh
start || exit
trap stop EXIT
echo "the server answers: $(redis-cli -s "$TMPDIR/socket" ping)"
server=$(cat "$redis_pid")
sleep 60 &
other=$!
disown
echo "$other" > "$redis_pid"
stop
sleep 0.1
echo "its number is another's: $(sed -n 's/^State:.\(.\).*/\1/p' "/proc/$other/status")"
kill "$other"
echo "$server" > "$redis_pid"
stop
sleep 0.1
[ -e "/proc/$server" ] || echo "the server is stopped"

# With a port its words are that alone.
for port in $(seq $((20000 + $$ % 10000)) $((20020 + $$ % 10000))); do
  if start --port "$port" --bind 127.0.0.1 2> "$TMPDIR/why"; then break; fi
done
server=$(cat "$redis_pid")
stop
sleep 0.1
[ -e "/proc/$server" ] || echo "the one with a port is stopped"
