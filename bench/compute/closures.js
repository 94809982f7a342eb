// SPDX-License-Identifier: MIT
function counter(step) {
  let count = 0;
  return () => {
    count += step;
    return count;
  };
}

const compose = (f, g) => (x) => g(f(x));

function countUp(n) {
  const a = counter(1);
  const b = counter(3);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += b() - a();
  return sum;
}

function chains(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const add = (x) => x + i;
    const double = (x) => x * 2;
    const f = compose(compose(add, double), add);
    sum += f(1) % 7;
  }
  return sum;
}

function sumWith(n, f) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += f(i);
  return sum;
}

const offset = 5;
console.log(countUp(2000000));
console.log(chains(600000));
console.log(sumWith(3000000, (x) => x % offset));
