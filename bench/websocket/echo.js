// SPDX-License-Identifier: MIT
const { WebSocketServer } = require("ws");
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (ws) => ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary })));
server.on("listening", () => console.log("127.0.0.1:" + server.address().port));
