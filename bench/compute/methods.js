// SPDX-License-Identifier: MIT
class Toggle {
  constructor() {
    this.state = true;
  }

  value() {
    return this.state;
  }

  activate() {
    this.state = !this.state;
    return this;
  }
}

class NthToggle {
  constructor(limit) {
    this.state = true;
    this.limit = limit;
    this.count = 0;
  }

  value() {
    return this.state;
  }

  activate() {
    this.count += 1;
    if (this.count >= this.limit) {
      this.state = !this.state;
      this.count = 0;
    }
    return this;
  }
}

class Account {
  constructor() {
    this.balance = 0;
    this.moves = 0;
  }

  deposit(amount) {
    this.balance += amount;
    this.moves += 1;
  }

  withdraw(amount) {
    if (amount > this.balance) return false;
    this.balance -= amount;
    this.moves += 1;
    return true;
  }

  get() {
    return this.balance;
  }
}

function toggles(n) {
  const both = [new Toggle(), new NthToggle(3)];
  let on = 0;
  for (let i = 0; i < n; i++) {
    if (both[i % 2].activate().value()) on++;
  }
  return on;
}

function accounts(n) {
  const a = new Account();
  let refused = 0;
  for (let i = 0; i < n; i++) {
    a.deposit(i % 10);
    if (!a.withdraw(i % 13)) refused++;
    if (a.get() > 1000) a.withdraw(900);
  }
  return [a.balance, a.moves, refused];
}

console.log(toggles(3000000));
console.log(...accounts(2000000));
