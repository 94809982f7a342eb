// SPDX-License-Identifier: MIT
function run(n) {
  let x = 88172645463325252n;
  let sum = 0n;
  for (let i = 0; i < n; i++) {
    x ^= x >> 12n;
    x ^= BigInt.asUintN(64, x << 25n);
    x ^= x >> 27n;
    sum = BigInt.asUintN(64, sum + x * 2685821657736338717n);
  }
  return BigInt.asIntN(64, sum);
}
console.log(String(run(20000000)));
