// SPDX-License-Identifier: MIT
const key = (i) => i * 7919 % 99999989;

function run(n) {
  const m = new Map();
  for (let i = 0; i < n; i++) m.set(key(i), i);
  for (let i = 0; i < 2 * n; i++) {
    const k = key(i);
    m.set(k, (m.get(k) ?? 0) + 1);
  }
  let found = 0;
  for (let i = 0; i < 4 * n; i++) {
    if (m.has(key(i))) found++;
  }
  for (let i = 0; i < n; i += 2) m.delete(key(i));
  let sum = 0;
  for (const [k, v] of m) sum += k + v;
  return [m.size, found, sum];
}

console.log(...run(600000));
