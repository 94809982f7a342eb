# A server of Redis at $TMPDIR/socket, which ends with the test. `start` returns
# when it answers. `stop` kills it as a crash does.
redis_pid=$TMPDIR/pid
start() {
  redis-server --port 0 --unixsocket "$TMPDIR/socket" --save "" --appendonly no \
    --dir "$TMPDIR" --enable-debug-command yes "$@" > "$TMPDIR/log" 2>&1 &
  disown
  echo $! > "$redis_pid"
  until [ "$(redis-cli -s "$TMPDIR/socket" echo up 2>&1)" != "" ] &&
    redis-cli -s "$TMPDIR/socket" ping 2>&1 | grep -q "PONG\|NOAUTH"; do
    kill -0 "$(cat "$redis_pid")" || return 1
    sleep 0.02
  done
}
# The server may have ended by itself. Its number may be another's by then, but
# no other server is in this folder.
stop() {
  local pid
  pid=$(cat "$redis_pid")
  [ ! "/proc/$pid/cwd" -ef "$TMPDIR" ] || kill -9 "$pid" 2> /dev/null
  rm -f "$TMPDIR/socket"
}
