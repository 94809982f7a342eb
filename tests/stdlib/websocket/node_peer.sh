# The package ws of Node.js at the other end, as a server and as a client. It
# checks what it gets as strictly. It asks for compression, and takes a no.
# long: some seconds.
# needs: node /usr/share/nodejs/ws
# expect: a server of Node's: chat true true true pong 1000 done
# expect: it closes: 4000 bye
# expect: it is told: 1009 too_long
# expect: a client of Node's: true true true pong chat 3001 enough
# expect: many: 50
export NODE_PATH=/usr/share/nodejs
cat > "$TMPDIR/server.js" << 'END'
const { WebSocketServer } = require("ws");
const server = new WebSocketServer({
  host: "127.0.0.1", port: 0, perMessageDeflate: true,
  handleProtocols: () => "chat",
});
server.on("listening", () => console.log("ws://127.0.0.1:" + server.address().port + "/"));
server.on("connection", (ws) => {
  ws.on("message", (data, isBinary) => {
    const text = data.toString();
    if (text === "close") ws.close(4000, "bye");
    else if (text === "ping") { ws.ping("p"); ws.on("pong", () => ws.send("pong")); }
    else if (text === "told") ws.send("" + told);
    else if (text === "long") ws.send("x".repeat(2000));
    else ws.send(data, { binary: isBinary });
  });
  ws.on("close", (code, reason) => {
    if (reason.toString() === "end") process.exit(0);
    told = code;
  });
});
let told = 0;
END
cat > "$TMPDIR/client.csp" << 'END'
import "os"
import "websocket"
address := os.read_line()?
func dialled(options...) => websocket.dial(address, ["chat"])
ws := dialled()?
long, raw := "é".repeat(100_000), bytes(range_of(70_000))
func range_of(n) => list(0..n).map(func(i) => i % 256)
func comes_back(message) {
  ws.write(message)?
  back, err := ws.read()
  return back == message, err
}
results := [comes_back("")?, comes_back(long)?, comes_back(raw)?]
ws.write("ping")?
pong := ws.read()?
ws.close(1000, "done")
println("a server of Node's:", ws.subprotocol, results[0], results[1], results[2], pong, ws.close_code, "done")
ws = dialled()?
ws.write("close")?
_, err := ws.read()
println("it closes:", ws.close_code, ws.close_reason)
assert(err == nil)
ws = websocket.dial(address, ["chat"], most: 1000)?
ws.write("long")?
_, err = ws.read()
ws = dialled()?
ws.write("told")?
println("it is told:", ws.read()?, err.code)
ws.close(1000, "end")
END
node "$TMPDIR/server.js" | "$CSPVM" "$TMPDIR/client.csp"
cp tests/stdlib/websocket/lib/server.csp "$TMPDIR/"
cat > "$TMPDIR/server_of_ours.csp" << 'END'
import server "./server"
import "net"
import "os"
import "websocket"
listener := net.listen("127.0.0.1:0")?
println("ws://${listener.address()}/")
os.flush()
closed := chan(100)
go listener.serve(func(connection) {
  head := connection.read_until("\r\n\r\n")?
  ws := websocket.accept(connection, server.request_of(head), subprotocols: ["chat"])?
  _ = server.echo(ws)
  closed <- ws.close_reason
})
for <-closed != "last" {}
END
cat > "$TMPDIR/client.js" << 'END'
const WebSocket = require("ws");
const address = require("fs").readFileSync(0, "utf8").trim();
const long = "é".repeat(100000), raw = Buffer.alloc(70000, 7);
const results = [];
function many(left) {
  let open = 0, done = 0;
  for (let i = 0; i < 50; i++) {
    const ws = new WebSocket(address);
    ws.on("open", () => { if (++open === 50) all.forEach((w, n) => w.send("m" + n)); });
    ws.on("message", (data) => { if (data.toString() === "m" + i) { done++; ws.close(1000, "x"); } });
    ws.on("close", () => {
      if (++closed < 50) return;
      console.log("many: " + done);
      const end = new WebSocket(address);
      end.on("open", () => end.close(1000, "last"));
    });
    all.push(ws);
  }
}
const all = [];
let closed = 0;
const ws = new WebSocket(address, ["mqtt", "chat"]);
const waits = ["", long, raw];
ws.on("open", () => waits.forEach((m) => ws.send(m)));
ws.on("message", (data, isBinary) => {
  const sent = waits[results.length];
  results.push(isBinary === (typeof sent !== "string") && data.equals(Buffer.from(sent)));
  if (results.length === 3) ws.ping("hello");
});
ws.on("pong", (data) => { results.push(data.toString() === "hello" ? "pong" : data); ws.close(3001, "enough"); });
ws.on("close", (code) => {
  console.log("a client of Node's:", ...results.map(String), ws.protocol, code, "enough");
  many();
});
END
mkfifo "$TMPDIR/address"
"$CSPVM" "$TMPDIR/server_of_ours.csp" > "$TMPDIR/address" & server=$!
head -n 1 "$TMPDIR/address" | node "$TMPDIR/client.js"
wait $server
