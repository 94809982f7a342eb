// SPDX-License-Identifier: MIT
// The same as gzip.csp. Old versions of zlib here have no crc32, so there is one.
const zlib = require("zlib");
const [file, turnsText, what] = process.argv.slice(2);
const data = require("fs").readFileSync(file);
const turns = Number(turnsText);

const table = Uint32Array.from({ length: 256 }, (_, i) => {
  for (let bit = 0; bit < 8; bit++) i = i & 1 ? (i >>> 1) ^ 0xedb88320 : i >>> 1;
  return i;
});

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

const packs = what === "pack";
let made;
const began = process.hrtime.bigint();
for (let i = 0; i < turns; i++) made = packs ? zlib.gzipSync(data, { level: 6 }) : zlib.gunzipSync(data);
const ns = (process.hrtime.bigint() - began) / BigInt(turns);
console.log(`${ns} ${made.length} ${crc32(packs ? zlib.gunzipSync(made) : made)}`);
