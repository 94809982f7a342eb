# The example of docs/library.md for redis runs with a server, and prints
# what it says.
# needs: redis-server
# timeout: 120
# expect: as it says
. tests/stdlib/redis/lib/server.sh
for port in $(seq $((20000 + $$ % 10000)) $((20020 + $$ % 10000))); do
  if start --port "$port" --bind 127.0.0.1 --requirepass secret 2> "$TMPDIR/why"; then break; fi
done
trap stop EXIT
redis-cli -s "$TMPDIR/socket" -a secret rpush jobs one > "$TMPDIR/why" 2>&1
tests/docs/lib/example.py 'import "redis"' 'open("127.0.0.1:6379"' \
  "open(\"127.0.0.1:$port\"" > "$TMPDIR/main.csp" || exit
"$CSPVM" "$TMPDIR/main.csp" > "$TMPDIR/out" || cat "$TMPDIR/out"
sed -i "s/127.0.0.1:$port/127.0.0.1:6379/" "$TMPDIR/out"
tests/docs/lib/example.py 'import "redis"' < "$TMPDIR/out" || cat "$TMPDIR/out"
