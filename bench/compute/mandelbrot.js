// SPDX-License-Identifier: MIT
function escapes(cr, ci, limit) {
  let zr = 0, zi = 0;
  for (let n = 0; n < limit; n++) {
    const r2 = zr * zr;
    const i2 = zi * zi;
    if (r2 + i2 > 4.0) return n;
    zi = 2.0 * zr * zi + ci;
    zr = r2 - i2 + cr;
  }
  return limit;
}

function picture(size, limit) {
  let inside = 0, steps = 0;
  for (let y = 0; y < size; y++) {
    const ci = 2.0 * y / size - 1.0;
    for (let x = 0; x < size; x++) {
      const n = escapes(2.0 * x / size - 1.5, ci, limit);
      if (n === limit) inside++;
      steps += n;
    }
  }
  return [inside, steps];
}

console.log(...picture(700, 100));
