// SPDX-License-Identifier: MIT
const net = require("net");
const server = net.createServer({ noDelay: true }, (c) => {
  c.on("data", (data) => c.write(data));
  c.on("error", () => {});
});
server.listen(0, "127.0.0.1", 4096, () => {
  console.log("127.0.0.1:" + server.address().port);
});
