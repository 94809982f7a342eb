// SPDX-License-Identifier: MIT
function run(n) {
  const keys = [];
  for (let i = 0; i < n; i++) keys.push(`key-${i * 7919 % 1000003}`);
  const counts = new Map();
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < n; i++) {
      const k = keys[i];
      counts.set(k, (counts.get(k) ?? 0) + i % 10 + round);
    }
  }
  let found = 0;
  for (let i = 0; i < 4 * n; i++) {
    if (counts.has(`key-${i}`)) found++;
  }
  for (let i = 0; i < n; i += 2) counts.delete(keys[i]);
  let sum = 0;
  for (const [k, v] of counts) sum += k.length * v;
  return [counts.size, found, sum];
}

console.log(...run(120000));
