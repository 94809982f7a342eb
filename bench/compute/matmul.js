// SPDX-License-Identifier: MIT
function matrix(n, seed) {
  const m = [];
  for (let i = 0; i < n; i++) {
    const row = [];
    for (let j = 0; j < n; j++) row.push((i * n + j) * seed % 1009 / 64.0);
    m.push(row);
  }
  return m;
}

function product(a, b) {
  const n = b[0].length;
  const result = [];
  for (const row of a) {
    const sums = new Array(n).fill(0.0);
    for (let k = 0; k < row.length; k++) {
      const x = row[k];
      const other = b[k];
      for (let j = 0; j < n; j++) sums[j] += x * other[j];
    }
    result.push(sums);
  }
  return result;
}

const n = 320;
const c = product(matrix(n, 7), matrix(n, 11));
let trace = 0.0;
for (let i = 0; i < n; i++) trace += c[i][i];
console.log(trace.toFixed(6), c[n / 2][3].toFixed(6));
