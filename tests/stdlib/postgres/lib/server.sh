# A server of PostgreSQL, whose socket is in $TMPDIR/sockets, and its TCP port
# $PGPORT. It refuses to run as root, so it runs as the user postgres or nobody
# there. `start` returns when it answers. `stop` kills it and all of its
# processes, as a power failure does.
pg_bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
pg_data=$TMPDIR/data
as_user() {
  if [ "$(id -u)" = 0 ]; then
    local user=nobody
    id postgres > "$TMPDIR/null" 2>&1 && user=postgres
    setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups \
      env HOME="$pg_data" "$@"
  else
    "$@"
  fi
}
# A port of each test's own: the process's number tells it.
[ -f "$TMPDIR/port" ] || echo $((20000 + $$ % 10000)) > "$TMPDIR/port"
PGPORT=$(cat "$TMPDIR/port")
# All tests of one tests/run copy one empty cluster, which the first of them
# makes. It is whole when it has its name.
prepare() {
  local empty=${SHARED-$TMPDIR}/postgres
  chmod 711 "$TMPDIR" "${SHARED-$TMPDIR}"
  mkdir "$TMPDIR/sockets"
  chmod 777 "$TMPDIR/sockets"
  (
    flock 9
    [ ! -e "$empty" ] || exit 0
    make_cluster "$empty.begun" && mv "$empty.begun" "$empty"
  ) 9> "$empty.lock" && cp -a "$empty" "$pg_data"
}
make_cluster() {
  rm -rf "$1"
  mkdir "$1"
  [ "$(id -u)" != 0 ] || chown "$(as_user id -u)" "$1"
  chmod 700 "$1"
  (cd / && as_user "$pg_bin/initdb" -D "$1" -U ada -A trust --no-locale \
    -E UTF8 --no-sync) > "$TMPDIR/initdb.log" 2>&1
}
# The last words are further settings, such as -c ssl=on.
start() {
  for _ in $(seq 500); do
    : > "$TMPDIR/log"  # so that it is there below
    (cd / && as_user "$pg_bin/postgres" -D "$pg_data" -k "$TMPDIR/sockets" \
      -p "$PGPORT" -h 127.0.0.1 -c fsync=off -c shared_buffers=16MB \
      -c log_destination=stderr "$@") > "$TMPDIR/log" 2>&1 &
    disown
    for _ in $(seq 500); do
      [ -S "$TMPDIR/sockets/.s.PGSQL.$PGPORT" ] &&
        "$pg_bin/pg_isready" -q -U ada -h "$TMPDIR/sockets" -p "$PGPORT" && return
      # not yet gone processes of the one before, or a port in use
      ! grep -q FATAL "$TMPDIR/log" || break
      sleep 0.02
    done
    ! grep -q 'Address already in use' "$TMPDIR/log" || {
      PGPORT=$((PGPORT + 1))
      echo "$PGPORT" > "$TMPDIR/port"
    }
    sleep 0.1
  done
  cat "$TMPDIR/log"
  return 1
}
# When a process began, or nothing if it is gone. A number may be another's by
# then, which began at another time.
born() { sed -n 's/.*) //p' "/proc/$1/stat" 2> "$TMPDIR/null" | cut -d ' ' -f 20; }
# Whether it is the server of this test, by its words: postgres -D the folder.
is_server() {
  tr '\0' '\n' 2> "$TMPDIR/null" < "/proc/$1/cmdline" | grep -qxF -- "$pg_data"
}
# The server may have ended by itself, and left the file with its number. While
# it is stopped its processes stay, at least as zombies. So nobody else gets
# their numbers.
stop() {
  local pid all one began=()
  pid=$(head -n 1 "$pg_data/postmaster.pid" 2> "$TMPDIR/null") || return 0
  if is_server "$pid" && kill -STOP "$pid"; then
    all="$(cat "/proc/$pid/task/$pid/children") $pid"
    for one in $all; do began[one]=$(born "$one"); done
    # shellcheck disable=SC2086
    kill -9 $all 2> "$TMPDIR/null"
    # What is killed may write a file before it is gone.
    for one in $all; do
      while [ -n "${began[one]}" ] && [ "$(born "$one")" = "${began[one]}" ] &&
        ! grep -q '^State:.Z' "/proc/$one/status" 2> "$TMPDIR/null"; do
        sleep 0.01
      done
    done
  fi
  rm -f "$pg_data/postmaster.pid" "$TMPDIR"/sockets/.s.PGSQL.*
}
