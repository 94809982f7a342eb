# The same as cancelled_waits.sh for a server of PostgreSQL.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 100
# small: CSPDEBUG=
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
echo "postgresql://ada@127.0.0.1:$PGPORT/postgres?sslmode=disable" > "$TMPDIR/url"
"$CSPVM" tests/soak/lib/waits_postgres.csp "${TIMES:-100}" "$TMPDIR"
# expect: postgres connect
# expect: postgres query
# expect: postgres transaction
# expect: postgres listen
