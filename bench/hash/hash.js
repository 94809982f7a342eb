// SPDX-License-Identifier: MIT
// The same as hash.csp, without xxh3.
const crypto = require("crypto");
const zlib = require("zlib");
const [file, turnsText, kind] = process.argv.slice(2);
const data = require("fs").readFileSync(file);
const turns = Number(turnsText);
const key = "k".repeat(32);

const hashes = {
  sha256: () => crypto.createHash("sha256").update(data).digest(),
  md5: () => crypto.createHash("md5").update(data).digest(),
  crc32: () => zlib.crc32(data),
  hmac: () => crypto.createHmac("sha256", key).update(data).digest(),
};

const hash = hashes[kind];
let sum;
const began = process.hrtime.bigint();
for (let i = 0; i < turns; i++) sum = hash();
const ns = (process.hrtime.bigint() - began) / BigInt(turns);
console.log(`${ns} ${typeof sum === "number" ? sum.toString(16).padStart(8, "0") : sum.toString("hex")}`);
