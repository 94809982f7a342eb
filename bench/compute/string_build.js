// SPDX-License-Identifier: MIT
function appendLines(lines) {
  let text = "";
  for (let i = 0; i < lines; i++) {
    text += "line ";
    text += i;
    text += "\n";
  }
  return text;
}

function joinLines(lines) {
  const pieces = [];
  for (let i = 0; i < lines; i++) pieces.push(`line ${i}`);
  return pieces.join("\n");
}

let appended = 0, joined = 0;
for (let round = 0; round < 40; round++) {
  appended += appendLines(1500 + round).length;
  joined += joinLines(30000 + round).length;
}
console.log(appended, joined);
