# The example of docs/library.md for postgres runs with a server, and prints
# what it says.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
# expect: as it says
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
tests/docs/lib/example.py 'import "postgres"' \
  'postgresql://ada:secret@db.example.org/shop?sslmode=verify-full&sslrootcert=/etc/ssl/root.pem' \
  "postgresql:///postgres?host=$TMPDIR/sockets&port=$PGPORT&user=ada" > "$TMPDIR/main.csp" || exit
"$CSPVM" "$TMPDIR/main.csp" > "$TMPDIR/out" || cat "$TMPDIR/out"
tests/docs/lib/example.py 'import "postgres"' < "$TMPDIR/out" || cat "$TMPDIR/out"
