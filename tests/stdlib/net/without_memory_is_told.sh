# A server that had no memory to say why a connection failed, or waits, said
# nothing at all.
# small: CSPDEBUG=
# expect: done
cd "$TMPDIR" || exit 1
cat > server.csp << 'END'
import "http"
import "net"
import "os"
l := net.listen("127.0.0.1:0")?
if os.args[0] == "http" {
  go http.serve(l, func(r) => "hello")
} else {
  go l.serve(func(c) {
    c.read_line()?
    c.write("hello")?
  })
}
spare, ballast, ever := bytes(int(os.args[1])), [], chan()
println(l.address())  // is written when nobody runs: it is full then
go {
  for size in [10_000, 1000, 100, 10] {
    _, err := try(func() { for { ballast.push(bytes(size)) } })
  }
  spare = nil
}
<-ever
END
# one MODULE BYTES: whether a client is served, or standard error has a line.
one() {
  local name=$1.$2
  "$CSPVM" --max-memory 5 server.csp "$1" "$2" > "$name.out" 2> "$name.err" &
  local server=$!
  until [ -s "$name.out" ]; do sleep 0.01; done
  local address=$(cat "$name.out")
  exec 3<> "/dev/tcp/127.0.0.1/${address##*:}"
  printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' >&3
  cat <&3 > "$name.answer" 2> /dev/null &
  until [ -s "$name.err" ] || grep -q hello "$name.answer"; do sleep 0.01; done
  kill $server $!
}
for bytes in 0 1000 2000; do
  one http $bytes &
  one net $bytes &
done 2> /dev/null
wait
echo done
