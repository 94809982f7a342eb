# SPDX-License-Identifier: MIT
class Toggle:
    __slots__ = ("state",)

    def __init__(self):
        self.state = True

    def value(self):
        return self.state

    def activate(self):
        self.state = not self.state
        return self


class NthToggle:
    __slots__ = ("state", "limit", "count")

    def __init__(self, limit):
        self.state = True
        self.limit = limit
        self.count = 0

    def value(self):
        return self.state

    def activate(self):
        self.count += 1
        if self.count >= self.limit:
            self.state = not self.state
            self.count = 0
        return self


class Account:
    __slots__ = ("balance", "moves")

    def __init__(self):
        self.balance = 0
        self.moves = 0

    def deposit(self, amount):
        self.balance += amount
        self.moves += 1

    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        self.moves += 1
        return True

    def get(self):
        return self.balance


def toggles(n):
    both = [Toggle(), NthToggle(3)]
    on = 0
    for i in range(n):
        if both[i % 2].activate().value():
            on += 1
    return on


def accounts(n):
    a = Account()
    refused = 0
    for i in range(n):
        a.deposit(i % 10)
        if not a.withdraw(i % 13):
            refused += 1
        if a.get() > 1000:
            a.withdraw(900)
    return a.balance, a.moves, refused


print(toggles(3_000_000))
print(*accounts(2_000_000))
