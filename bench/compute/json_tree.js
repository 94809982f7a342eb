// SPDX-License-Identifier: MIT
function build(depth, n) {
  if (depth === 0) {
    return { id: n, name: `leaf "${n}"`, even: n % 2 === 0 };
  }
  const children = [];
  for (let i = 0; i < 3; i++) children.push(build(depth - 1, n * 3 + i));
  return {
    id: n,
    name: `node ${n}`,
    tags: ["depth", `d${depth}`, depth],
    children,
  };
}

function sum(v) {
  if (typeof v === "number") return v;
  let total = 0;
  if (Array.isArray(v)) {
    for (const item of v) total += sum(item);
  } else if (typeof v === "object") {
    for (const k in v) total += sum(v[k]);
  }
  return total;
}

const quote = (s) => `"${s.replace(/[\\"]/g, "\\$&")}"`;

function encode(v, out) {
  if (typeof v === "string") {
    out.push(quote(v));
  } else if (Array.isArray(v)) {
    out.push("[");
    v.forEach((item, i) => {
      if (i > 0) out.push(",");
      encode(item, out);
    });
    out.push("]");
  } else if (typeof v === "object") {
    out.push("{");
    Object.keys(v).sort().forEach((k, i) => {
      if (i > 0) out.push(",");
      out.push(quote(k));
      out.push(":");
      encode(v[k], out);
    });
    out.push("}");
  } else {
    out.push(String(v));
  }
}

for (let n = 0; n < 25; n++) {
  const tree = build(7, n);
  const out = [];
  encode(tree, out);
  const text = out.join("");
  console.log(sum(tree), text.length, text.slice(n * 100, n * 100 + 50));
}
