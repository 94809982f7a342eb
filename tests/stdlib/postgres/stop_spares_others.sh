# Tests end their server by the number in its file. When it had ended by itself,
# the number could be another process's, and that was killed with all that it
# had started.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 60
# expect: the number is another's: S S
# expect: nothing is left
. tests/stdlib/postgres/lib/server.sh
mkdir "$pg_data"
bash -c 'sleep 60 & echo $! > "$TMPDIR/child"; wait' &
other=$!
disown
until [ -s "$TMPDIR/child" ]; do sleep 0.01; done
child=$(cat "$TMPDIR/child")
state() { sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status"; }
echo "$other" > "$pg_data/postmaster.pid"
stop
sleep 0.1
echo "the number is another's: $(state "$other") $(state "$child")"
kill "$other" "$child"
[ -e "$pg_data/postmaster.pid" ] || echo "nothing is left"
