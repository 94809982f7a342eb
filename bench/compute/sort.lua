-- SPDX-License-Identifier: MIT
local function numbers(n)
  local xs = {}
  local x = 42
  for i = 1, n do
    x = x * 16807 % 2147483647
    xs[i] = x
  end
  return xs
end

local ints = numbers(600000)
local words = {}
for i = 1, 200000 do words[i] = "w" .. ints[i] end
table.sort(ints)
table.sort(words)

local sum = 0
for i = 1, #ints, 1000 do sum = sum + ints[i] end
print(string.format("%d %d %d", ints[1], ints[#ints], sum))
print(words[1] .. " " .. words[100001] .. " " .. words[200000])
