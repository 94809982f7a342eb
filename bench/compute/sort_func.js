// SPDX-License-Identifier: MIT
const players = [];
let x = 42;
for (let i = 0; i < 200000; i++) {
  x = x * 16807 % 2147483647;
  players.push({ number: i, score: x % 1000 });
}
players.sort((a, b) =>
  a.score !== b.score ? b.score - a.score : a.number - b.number);

let check = 0;
players.forEach((p, i) => {
  check = (check * 31 + p.number + i) % 1000003;
});
console.log(players[0].number, players[players.length - 1].number, check);
