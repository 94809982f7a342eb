# Connections that wait cost no thread, and little memory.
# expect: 4000 connections, answers: 4000
# long: it has 4,000 connections
cd "$TMPDIR" || exit 1
cat > script.csp << 'END'
import "net"
listener := net.listen("127.0.0.1:0")?
go listener.serve(func(c) {
  for {
    line := c.read_line()?
    if line == nil { break }
    c.write(line, "\n")?
  }
})
clients := []
for i in 4000 { clients.push(net.dial(listener.address())?) }
for i, c in clients { c.write("${i}\n")? }
answers := 0
for i, c in clients { if c.read_line()? == "${i}" { answers++ } }
println("${len(clients)} connections, answers: ${answers}")
END
ulimit -n 10000
"$CSPVM" script.csp
