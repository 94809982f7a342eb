// SPDX-License-Identifier: MIT
function a(i, j) {
  return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

function times(v, n) {
  const result = [];
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += a(i, j) * v[j];
    result.push(sum);
  }
  return result;
}

function timesTransposed(v, n) {
  const result = [];
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += a(j, i) * v[j];
    result.push(sum);
  }
  return result;
}

function norm(n) {
  let u = new Array(n).fill(1.0);
  let v = [];
  for (let i = 0; i < 10; i++) {
    v = timesTransposed(times(u, n), n);
    u = timesTransposed(times(v, n), n);
  }
  let uv = 0, vv = 0;
  for (let i = 0; i < n; i++) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  return Math.sqrt(uv / vv);
}

console.log(norm(500).toFixed(9));
