// SPDX-License-Identifier: MIT
function fnv1a(text) {
  let h = 14695981039346656037n;
  for (const byte of text) {
    h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 1099511628211n);
  }
  return h;
}

function run(rounds) {
  const line = "The quick brown fox jumps over the lazy dog. ";
  const text = Buffer.from(line.repeat(200));
  let sum = 0n;
  for (let i = 0; i < rounds; i++) sum += fnv1a(text);
  return [fnv1a(text), sum];
}

console.log(run(1500).map((x) => String(BigInt.asIntN(64, x))).join(" "));
