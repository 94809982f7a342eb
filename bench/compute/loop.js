// SPDX-License-Identifier: MIT
function run(n) {
  let sum = 0;
  let a = 0;
  let b = 0;
  for (let i = 0; i < n; i++) {
    a += 3;
    if (a >= 1000) a -= 1000;
    b += a;
    if (b >= 4096) b -= 4096;
    sum += (i % 7) * b;
  }
  return sum;
}
console.log(run(25000000));
