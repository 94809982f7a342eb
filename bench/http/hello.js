// SPDX-License-Identifier: MIT
const fs = require("fs");
const [, , certificate, key] = process.argv;
const options = certificate
  ? { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) }
  : {};
const server = require(certificate ? "https" : "http").createServer(options, (request, response) => {
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.end(request.url.startsWith("/hello/") ? "hello " + request.url.slice(7) : "home");
});
server.listen(0, "127.0.0.1", 4096, () => console.log("127.0.0.1:" + server.address().port));
