# In a session with `bytea_output = escape` bytes that came were refused as
# malformed, and the connection was lost.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 120
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cat > "$TMPDIR/a.csp" << 'END_CSP'
import "os"
import "postgres"
db := postgres.open("host=${os.env("TMPDIR")}/sockets port=${os.env("PGPORT")} user=ada dbname=postgres", most: 1)?
every := bytes(256)
for i in 256 { every.set(i, i) }
samples := [every, bytes(), bytes("plain"), bytes("\\"), bytes("\\x41"), bytes("\\\\101"), bytes("\"{,}NULL"), bytes("NULL"), bytes("\x00\xff\\")]
for form in ["hex", "escape"] {
  db.exec("set bytea_output to ${form}")?
  println(db.one("show bytea_output")?)
  for sample in samples {
    row := db.one("select $1::bytea as x, $1::bytea = $2::bytea as same, array[$1::bytea, null] as xs", sample, sample)?
    if !row.same || str([row.x, row.xs]) != str([sample, [sample, nil]]) { println("wrong", row) }
  }
}
db.close()
END_CSP
PGPORT=$PGPORT "$CSPVM" "$TMPDIR/a.csp"
# expect: {"bytea_output": "hex"}
# expect: {"bytea_output": "escape"}
