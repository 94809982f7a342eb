-- SPDX-License-Identifier: MIT
-- Lua 5.4 only: needs 64-bit ints.
local function run(n)
  local x = 88172645463325252
  local sum = 0
  for _ = 1, n do
    x = x ~ (x >> 12)
    x = x ~ (x << 25)
    x = x ~ (x >> 27)
    sum = sum + x * 2685821657736338717
  end
  return sum
end
print(run(20000000))
