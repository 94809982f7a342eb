// SPDX-License-Identifier: MIT
function fannkuch(n) {
  const perm = [...Array(n).keys()];
  const perm1 = [...Array(n).keys()];
  const count = [...Array(n).keys()];
  let maxFlips = 0, checksum = 0;
  let even = true;
  let r = n;
  for (;;) {
    for (; r !== 1; r--) count[r - 1] = r;
    for (let i = 0; i < n; i++) perm[i] = perm1[i];
    let flips = 0;
    while (perm[0] !== 0) {
      let i = 0, j = perm[0];
      while (i < j) {
        const t = perm[i];
        perm[i] = perm[j];
        perm[j] = t;
        i++;
        j--;
      }
      flips++;
    }
    if (flips > maxFlips) maxFlips = flips;
    checksum += even ? flips : -flips;
    even = !even;
    for (;;) {
      if (r === n) return [checksum, maxFlips];
      const first = perm1[0];
      for (let i = 0; i < r; i++) perm1[i] = perm1[i + 1];
      perm1[r] = first;
      count[r] -= 1;
      if (count[r] > 0) break;
      r++;
    }
  }
}

for (let i = 0; i < 3; i++) console.log(...fannkuch(9));
