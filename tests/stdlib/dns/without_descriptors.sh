# Where no descriptor is left, or only some, a lookup fails with a code, and
# gives back what it had.
# expect: limit limit limit limit
# expect: ["192.0.2.1"] nil
cp "$PWD/tests/stdlib/dns/lib/server.csp" "$TMPDIR/server.csp"
cd "$TMPDIR" || exit 1
cat > few.csp << 'END'
import "./server"
import "dns"
import "os"
address := server.start(func(q) => [server.reply(q, [server.row(q.name, "A", "192.0.2.1")])])
held := []
for {
  file, err := os.open("/dev/null")
  if err != nil { break }
  held.push(file)
}
codes := []
for free in 2 {
  for f in [func() => dns.lookup("a.example", server: address), func() => dns.addresses("a.example", server: address)] {
    _, err := f()
    codes.push(err.code)
  }
  held.pop().close()
}
println(codes.join(" "))
for file in held { file.close() }
rows, err := dns.lookup("a.example", server: address)
println(rows.map(func(r) => r.value), err)
END
ulimit -n 40
"$CSPVM" few.csp
