// SPDX-License-Identifier: MIT
class Node {
  constructor(left, right) {
    this.left = left;
    this.right = right;
  }

  count() {
    if (this.left === null) return 1;
    return 1 + this.left.count() + this.right.count();
  }
}

function bottomUp(depth) {
  if (depth === 0) return new Node(null, null);
  return new Node(bottomUp(depth - 1), bottomUp(depth - 1));
}

const depth = 15;
console.log("stretch", bottomUp(depth + 1).count());
const kept = bottomUp(depth);
for (let d = 4; d <= depth; d += 4) {
  const n = 1 << (depth - d + 4);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += bottomUp(d).count();
  console.log(n, "trees of depth", d, "nodes", sum);
}
console.log("kept", kept.count());
