# What postgres may do in hosts: nothing without the network. Without files, and
# with a root, no Unix socket and no certificate, and TCP as everywhere. A
# stepped host's time ends a query, and nothing leaks. It waits for nobody, not
# even to tell the server to stop: here the way to it leads through the host.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# expect: --- without the network
# expect: tcp: permission postgres.open: the host allows no network (CSP_NET)
# expect: unix: permission postgres.open: the host allows no network (CSP_NET)
# expect: --- without files
# expect: tcp: {"n": 100000}
# expect: unix: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: second: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: abstract: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: sslrootcert: permission postgres.open: the host allows no files, which sslrootcert needs
# expect: sslkey: permission postgres.open: the host allows no files, which sslkey needs
# expect: --- with a root
# expect: tcp: {"n": 100000}
# expect: unix: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: second: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: abstract: permission postgres.open: the host allows no files, which a Unix socket needs
# expect: sslrootcert: permission postgres.open: the host allows no files, which sslrootcert needs
# expect: sslkey: permission postgres.open: the host allows no files, which sslkey needs
# expect: --- with files
# expect: unix: {"n": 100000}
# expect: --- stepped
# expect: tcp: {"n": 100000}
# expect: interrupted
# expect: through the host: timeout
# expect: and again: {"n": 7}
# expect: --- without streams
# expect: {"n": 7} []
# expect: {"n": 7} []
# expect: --- ends
# expect: the same descriptors
# expect: the same descriptors
# timeout: 120
# once: it is compiled each time
. tests/embed/lib/installed.sh
module_host postgres || exit
. tests/stdlib/postgres/lib/server.sh
prepare && start || exit
trap stop EXIT
cd "$TMPDIR" || exit
mkdir root
tcp="postgresql://ada@127.0.0.1:$PGPORT/postgres?sslmode=disable"
unix="postgresql:///postgres?user=ada&port=$PGPORT&host="
try() { # NAME URL: a script for NAME.csp
  cat > "$1.csp" << END
import "postgres"
db, err := postgres.open("$2")
if err != nil {
  println("$1:", err.code, err)
} else {
  println("$1:", db.one("select count(*) as n from generate_series(1, 100000)")?)
}
END
}
try tcp "$tcp"
try unix "$unix$TMPDIR/sockets"
try second "${unix}127.0.0.1,$TMPDIR/sockets"
try abstract "${unix}@x"
try sslrootcert "$tcp&sslrootcert=$TMPDIR/root.crt"
try sslkey "$tcp&sslkey=$TMPDIR/root.key"
cat > sleeps.csp << END
import "postgres"
postgres.open("$tcp")?.one("select pg_sleep(1000)")
END
# (PQcancel would connect to the listener, and wait for the same thread.)
cat > through.csp << END
import "net"
import "postgres"
import "time"
func copy_all(from, to) {
  for {
    data, err := from.read_bytes()
    if data == nil || err != nil { break }
    to.write(data)
  }
  to.close_write()
}
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(client) {
  server := net.dial("127.0.0.1:$PGPORT")?
  go copy_all(server, client)
  copy_all(client, server)
})
_, port, _ := net.split(listener.address())
db := postgres.open("postgresql://ada@127.0.0.1:\${port}/postgres?sslmode=disable")?
_, err := time.limit(300ms, func() => db.one("select pg_sleep(1000)"))
println("through the host:", err.code)
println("and again:", db.one("select 7 as n")?)
END
cat > closed.csp << END
import "os"
import "postgres"
db := postgres.open("$tcp")?
row := db.one("select 7 as n")?
open := ["0", "1", "2"].filter(func(fd) => os.exists("/proc/self/fd/" + fd))
os.write_file("seen", "\${row} \${open}\n")?
END
cat > ends.csp << END
import "postgres"
db := postgres.open("$tcp", most: 3)?
for i in 3 { go db.one("select pg_sleep(1000)") }
sleep(20ms)
END
echo '--- without the network'
./host -f tcp.csp
./host -f unix.csp
echo '--- without files'
for name in tcp unix second abstract sslrootcert sslkey; do ./host -n $name.csp; done
echo '--- with a root'
for name in tcp unix second abstract sslrootcert sslkey; do ./host -n -f -r root $name.csp; done
echo '--- with files'
./host -n -f unix.csp
echo '--- stepped'
./host -n -s 0 tcp.csp
./host -n -s 200000000 sleeps.csp
timeout 20 ./host -n -s 0 through.csp
echo '--- without streams'
for how in '' '-s 0'; do
  rm -f seen
  ./host -n -f $how closed.csp <&- >&- 2>&-
  cat seen
done
echo '--- ends'
./host -n -t 5 ends.csp
./host -n -s 3000000 -t 5 ends.csp | grep -v '^interrupted$'
