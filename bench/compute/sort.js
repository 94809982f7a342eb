// SPDX-License-Identifier: MIT
function numbers(n) {
  const xs = new Float64Array(n);
  let x = 42;
  for (let i = 0; i < n; i++) {
    x = x * 16807 % 2147483647;
    xs[i] = x;
  }
  return xs;
}

const ints = numbers(600000);
const words = Array.from(ints.subarray(0, 200000), (x) => `w${x}`);
ints.sort();
words.sort();

let sum = 0;
for (let i = 0; i < ints.length; i += 1000) sum += ints[i];
console.log(ints[0], ints[ints.length - 1], sum);
console.log(words[0], words[100000], words[199999]);
