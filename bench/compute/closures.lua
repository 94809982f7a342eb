-- SPDX-License-Identifier: MIT
local function counter(step)
  local count = 0
  return function()
    count = count + step
    return count
  end
end

local function compose(f, g)
  return function(x) return g(f(x)) end
end

local function count_up(n)
  local a = counter(1)
  local b = counter(3)
  local sum = 0
  for _ = 1, n do sum = sum + b() - a() end
  return sum
end

local function chains(n)
  local sum = 0
  for i = 0, n - 1 do
    local add = function(x) return x + i end
    local double = function(x) return x * 2 end
    local f = compose(compose(add, double), add)
    sum = sum + f(1) % 7
  end
  return sum
end

local function sum_with(n, f)
  local sum = 0
  for i = 0, n - 1 do sum = sum + f(i) end
  return sum
end

local offset = 5
print(string.format("%d", count_up(2000000)))
print(string.format("%d", chains(600000)))
print(string.format("%d", sum_with(3000000, function(x) return x % offset end)))
