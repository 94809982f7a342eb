-- SPDX-License-Identifier: MIT
local Toggle = {}
Toggle.__index = Toggle
function Toggle.new() return setmetatable({ state = true }, Toggle) end
function Toggle:value() return self.state end
function Toggle:activate()
  self.state = not self.state
  return self
end

local NthToggle = {}
NthToggle.__index = NthToggle
function NthToggle.new(limit)
  return setmetatable({ state = true, limit = limit, count = 0 }, NthToggle)
end
function NthToggle:value() return self.state end
function NthToggle:activate()
  self.count = self.count + 1
  if self.count >= self.limit then
    self.state = not self.state
    self.count = 0
  end
  return self
end

local Account = {}
Account.__index = Account
function Account.new()
  return setmetatable({ balance = 0, moves = 0 }, Account)
end
function Account:deposit(amount)
  self.balance = self.balance + amount
  self.moves = self.moves + 1
end
function Account:withdraw(amount)
  if amount > self.balance then return false end
  self.balance = self.balance - amount
  self.moves = self.moves + 1
  return true
end
function Account:get() return self.balance end

local function toggles(n)
  local both = { Toggle.new(), NthToggle.new(3) }
  local on = 0
  for i = 0, n - 1 do
    if both[i % 2 + 1]:activate():value() then on = on + 1 end
  end
  return on
end

local function accounts(n)
  local a = Account.new()
  local refused = 0
  for i = 0, n - 1 do
    a:deposit(i % 10)
    if not a:withdraw(i % 13) then refused = refused + 1 end
    if a:get() > 1000 then a:withdraw(900) end
  end
  return a.balance, a.moves, refused
end

print(toggles(3000000))
print(string.format("%d %d %d", accounts(2000000)))
