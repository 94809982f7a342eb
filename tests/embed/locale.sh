# The locale of the host's process changes nothing that scripts read and write:
# neither one with a comma for the point, nor one where the upper case of i is
# another letter. Nor what the runtime writes: the trace is JSON, the counters
# have points. Nor the messages, also those of native modules.
# expect: the host's point: ,
# expect: 2.5 2.5 -125.0 2.5
# expect: "2,5" is not a float inf nan
# expect: 2.50 2.500000e+00 2.5 2.5 2. 2.500000E+00
# expect: 3.14 1e-07 1.1e+22 0.30000000000000004
# expect: 1.5s 1500000000
# expect: 04 Apr 1999
# expect: TITLE I title i true
# expect: cannot open /no/such/file: No such file or directory
# expect: out of memory: the limit is 1.5 MB
# expect: math.floor: 1.5e+300 is not within the range of an int
# expect: cannot receive at UDP: nothing happened for 0.005s
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: dns: cannot look up "a": no answer for 0.015s
# expect: tls: the handshake was not over after 15ms
# expect: postgres: refused Connection refused
# expect: postgres: postgres.open: invalid URI query parameter: "no"
# timeout: 60
. tests/embed/lib/installed.sh
export LOCPATH=$TMPDIR
make_locale() {
  localedef -i "$1" -f "$2" "$TMPDIR/$3" > "$TMPDIR/log" 2>&1 || cat "$TMPDIR/log"
}
make_locale de_DE UTF-8 de_DE.UTF-8
make_locale tr_TR ISO-8859-9 tr_TR.ISO-8859-9

# run LOCALE: its output, a trace that is no JSON, a counter with a comma.
run() {
  "$TMPDIR/host" tests/embed/data/locale.csp "$TMPDIR/trace" "$1" 2> "$TMPDIR/errors"
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$TMPDIR/trace"
  grep ',' "$TMPDIR/errors"
  grep cspvm "$TMPDIR/errors"
}
host static "$TMPDIR/host" gcc -std=gnu11 tests/embed/data/locale.c || exit
cat > "$TMPDIR/dns.csp" << 'END'
import "dns"
import "net"
silent := net.udp("127.0.0.1:0")?
_, err := dns.lookup("a", timeout: 15ms, server: silent.address())
println("dns:", err.message)
END
cat > "$TMPDIR/tls.csp" << 'END'
import "net"
import "tls"
silent := net.listen("127.0.0.1:0")?
err := tls.client(net.dial(silent.address())?, insecure: true, timeout: 15ms)
println("tls:", err.message.split(": ").pop())
END
cat > "$TMPDIR/postgres.csp" << 'END'
import "net"
import "postgres"
_, err := postgres.open("postgresql://ada@127.0.0.1:1/postgres?sslmode=disable")
println("postgres:", err.code, err.message.split(": ").pop())
_, err = postgres.open("postgresql://ada@127.0.0.1:1/postgres?no=1")
println("postgres:", err.message)
END
modules() {
  for name in dns tls postgres; do
    module_host $name || return
    # (A library that libpq needs calls newlocale when it is loaded, and glibc
    # loses the path of LOCPATH then.)
    [ $name != postgres ] || export LSAN_OPTIONS=detect_leaks=0
    "$TMPDIR/host" -n -l de_DE.UTF-8 "$TMPDIR/$name.csp"
  done
}
run de_DE.UTF-8 | tee "$TMPDIR/german"
run tr_TR.ISO-8859-9 | diff "$TMPDIR/german" -
modules
