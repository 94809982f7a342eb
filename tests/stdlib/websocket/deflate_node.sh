# The package ws of Node.js at the other end, with compression: as a server and
# as a client, with the context kept and not, and with windows of each size.
# small: CSPDEBUG=gcstress=31
# needs: node /usr/share/nodejs/ws
# expect: a server of Node's: 40 of 40
# expect: what Node sends is compressed: true
# expect: a bomb of Node's: 1009 too_long
# expect: a client of Node's: 16 of 16
export NODE_PATH=/usr/share/nodejs
cat > "$TMPDIR/server.js" << 'END'
const { WebSocketServer } = require("ws");
const http = require("http");
// Each path has a server with other terms.
const terms = {
  "/a": { threshold: 0 },
  "/b": { threshold: 0, serverNoContextTakeover: true, clientNoContextTakeover: true },
  "/c": { threshold: 0, serverMaxWindowBits: 9, clientMaxWindowBits: 10 },
  "/d": { threshold: 1024, clientMaxWindowBits: 8 },
};
const servers = {};
let wire = 0, plain = 0;
for (const path in terms) {
  servers[path] = new WebSocketServer({ noServer: true, perMessageDeflate: terms[path], maxPayload: 1 << 22 });
  servers[path].on("connection", (ws, request) => {
    ws.on("message", (data, isBinary) => {
      const text = data.toString();
      if (text === "end") process.exit(0);
      if (text === "bomb") { ws.send(Buffer.alloc(1 << 22)); return; }
      if (text === "sent") { ws.send(String(request.socket.bytesWritten < plain / 3)); return; }
      plain += data.length;
      ws.send(data, { binary: isBinary });
    });
    ws.on("error", () => {});
  });
}
const server = http.createServer();
server.on("upgrade", (request, socket, head) => {
  const one = servers[request.url];
  one.handleUpgrade(request, socket, head, (ws) => one.emit("connection", ws, request));
});
server.listen(0, "127.0.0.1", () => console.log("ws://127.0.0.1:" + server.address().port));
END
cat > "$TMPDIR/client.csp" << 'END'
import "os"
import "websocket"
import "zlib"
address := os.read_line()?
text := ""
for i in 20_000 { text += "line ${i * i % 1009} é\n" }
func valid(s) {
  for !s.is_valid() { s = s[:len(s) - 1] }
  return s
}
choices := [true, {takeover: true, least: 1}, {takeover: true, window: 15, least: 1}, {takeover: true, window: 9, level: 9, least: 1},
  {least: 1, level: 1}]
fine := 0
for path in ["/a", "/b", "/c", "/d"] {
  for compress in choices {
    ws, err := websocket.dial(address + path, compress: compress)
    if err != nil {
      // As Node ignores what a client wants of the server's window.
      println(path, compress, err)
      continue
    }
    for message in [text, bytes(text)] {
      good := true
      for n in [0, 1, 100, 1000, 70_000, len(text)] {
        part := message[:n]
        if part is string { part = valid(part) }
        ws.write(part)?
        good = good && ws.read()? == part
      }
      if good { fine++ }
    }
    ws.close()
  }
}
println("a server of Node's: ${fine} of 40")
ws := websocket.dial(address + "/a", compress: true)?
for _ in 3 {
  ws.write(text)?
  _ = ws.read()?
}
ws.write("sent")?
told := ws.read()?
ws.write("bomb")?
_, err := ws.read()
println("what Node sends is compressed: ${told}")
println("a bomb of Node's: ${ws.close_code} ${err.code}")
last := websocket.dial(address + "/a")?
last.write("end")?
_, _ = last.read()
END
node "$TMPDIR/server.js" > "$TMPDIR/address" & server=$!
until [ -s "$TMPDIR/address" ]; do sleep 0.02; done
"$CSPVM" "$TMPDIR/client.csp" < "$TMPDIR/address"
wait $server

cat > "$TMPDIR/server_of_ours.csp" << 'END'
import "http"
import "net"
import "os"
import "websocket"
import "zlib"
listener := net.listen("127.0.0.1:0")?
println("ws://${listener.address()}")
os.flush()
func echo(compress) => func(request) {
  ws := request.websocket(compress: compress)?
  for {
    message := ws.read()?
    if message == nil { break }
    ws.write(message)?
  }
  if ws.close_reason == "last" { listener.close() }
}
http.serve(listener, http.routes({
  "/a": echo(true),
  "/b": echo({takeover: true, least: 1}),
  "/c": echo({takeover: true, window: 15, least: 1}),
  "/d": echo({takeover: true, window: 9, level: 9}),
}))?
END
cat > "$TMPDIR/client.js" << 'END'
const WebSocket = require("ws");
const address = require("fs").readFileSync(process.argv[2], "utf8").trim();
let text = "";
for (let i = 0; i < 20000; i++) text += "line " + (i * i % 1009) + " é\n";
const messages = ["", "a", text.slice(0, 1000), text, Buffer.from(text), Buffer.alloc(300000, 7)];
const terms = [
  true,
  { threshold: 0, serverNoContextTakeover: true },
  { threshold: 0, clientNoContextTakeover: true, clientMaxWindowBits: 9 },
  { threshold: 0, serverMaxWindowBits: 10 },
];
let fine = 0, left = 0;
function done() {
  if (--left > 0) return;
  console.log("a client of Node's: " + fine + " of 16");
  const last = new WebSocket(address + "/a", { perMessageDeflate: false });
  last.on("open", () => last.close(1000, "last"));
}
for (const path of ["/a", "/b", "/c", "/d"]) {
  for (const perMessageDeflate of terms) {
    left++;
    const ws = new WebSocket(address + path, { perMessageDeflate });
    let got = 0, good = true;
    ws.on("open", () => messages.forEach((m) => ws.send(m)));
    ws.on("message", (data, isBinary) => {
      const sent = messages[got++];
      good = good && isBinary === (typeof sent !== "string") && data.equals(Buffer.from(sent));
      if (got === messages.length) ws.close(1000);
    });
    ws.on("error", (error) => console.log(path, perMessageDeflate, error.message));
    ws.on("close", (code) => { if (good && code === 1000 && ws.extensions !== "") fine++; done(); });
  }
}
END
"$CSPVM" "$TMPDIR/server_of_ours.csp" > "$TMPDIR/ours" & server=$!
until [ -s "$TMPDIR/ours" ]; do sleep 0.02; done
node "$TMPDIR/client.js" "$TMPDIR/ours"
wait $server
