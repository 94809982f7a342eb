# Clients that others wrote: curl, Python, Node, wrk.
# needs: curl node wrk
# expect: curl: text, 204, 404, 405
# expect: curl sends: 300000 bytes, 300000 in chunks
# expect: curl waits for 100: 300000, and is told 413
# expect: curl sees that a body broke off: 18 or 56
# expect: python: 10 requests on one connection, 1000000 bytes
# expect: node: 20 requests, text
# expect: wrk: no errors
# timeout: 60
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
func breaks() {
  n := 0
  return func() {
    n++
    if n == 3 { return nil, error("on purpose") }
    return "piece", nil
  }
}
http.serve(listener, http.routes({
  "GET /": func(r) => "text",
  "GET /none": func(r) => nil,
  "POST /length": func(r) {
    data, err := r.bytes()
    return (if err != nil { err } else { "${len(data)}" })
  },
  "GET /long": func(r) => "x".repeat(1_000_000),
  "GET /breaks": func(r) => breaks(),
}))?
END_OF_SCRIPT
"$CSPVM" server.csp > address 2> errors &
server=$!
trap 'kill $server' EXIT
until [ -s address ]; do sleep 0.02; done
at=$(head -1 address)
status() { curl -s -m 20 -o /dev/null -w '%{http_code}' "$@"; }

echo "curl: $(curl -s "$at/"), $(status "$at/none"), $(status "$at/x"), $(status -X PUT "$at/")"
head -c 300000 /dev/zero > data
head -c 2000000 /dev/zero > too_long
echo "curl sends: $(curl -s -H Expect: --data-binary @data "$at/length") bytes," \
  "$(curl -s -H Expect: -H 'Transfer-Encoding: chunked' --data-binary @data "$at/length") in chunks"
echo "curl waits for 100: $(curl -s -H 'Expect: 100-continue' --data-binary @data "$at/length")," \
  "and is told $(status -H 'Expect: 100-continue' --data-binary @too_long "$at/length")"
curl -s "$at/breaks" -o /dev/null
case $? in 18 | 56) echo "curl sees that a body broke off: 18 or 56" ;; *) echo "curl took a part for the whole" ;; esac
python3 - "$at" << 'END_OF_SCRIPT'
import http.client, sys
c = http.client.HTTPConnection(sys.argv[1], timeout=20)
socket = None
for i in range(10):
    c.request("POST", "/length", body=b"x" * i)
    assert c.getresponse().read() == b"%d" % i
    assert socket in (None, c.sock)
    socket = c.sock
c.request("GET", "/long")
print("python: 10 requests on one connection,", len(c.getresponse().read()), "bytes")
END_OF_SCRIPT
node - "$at" << 'END_OF_SCRIPT'
const http = require("http");
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
let left = 20, text = "";
for (let i = 0; i < 20; i++)
http.get("http://" + process.argv[2] + "/", { agent }, (reply) => {
  let body = "";
  reply.on("data", (piece) => (body += piece));
  reply.on("end", () => {
    text = body;
    if (--left === 0) { console.log("node: 20 requests, " + text); agent.destroy(); }
  });
});
END_OF_SCRIPT
wrk -t1 -c16 -d1 "http://$at/" > wrk.txt 2>&1
if grep -q 'Requests/sec' wrk.txt && ! grep -q 'errors\|Non-2xx' wrk.txt; then
  echo "wrk: no errors"
else
  cat wrk.txt
fi
