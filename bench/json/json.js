// SPDX-License-Identifier: MIT
// json.js FILE TURNS parse|both: as json.csp does.
const [file, turnsText, what] = process.argv.slice(2);
const text = require("fs").readFileSync(file, "utf8");
const turns = Number(turnsText);

function timed(name, f) {
  let result;
  const began = process.hrtime.bigint();
  for (let i = 0; i < turns; i++) result = f();
  console.log(`${name}: ${Number(process.hrtime.bigint() - began) / 1e6 / turns}`);
  return result;
}

function count(v) {
  if (typeof v !== "object" || v === null) return 1;
  let n = 1;
  for (const inner of Object.values(v)) n += count(inner);
  return n;
}

const value = timed("parse", () => JSON.parse(text));
if (what === "both") {
  timed("text", () => JSON.stringify(value));
  console.log(`values: ${count(value)}`);
}
