-- SPDX-License-Identifier: MIT
local function run(n)
  local sum = 0
  local a = 0
  local b = 0
  for i = 0, n - 1 do
    a = a + 3
    if a >= 1000 then a = a - 1000 end
    b = b + a
    if b >= 4096 then b = b - 4096 end
    sum = sum + i % 7 * b
  end
  return sum
end
print(string.format("%d", run(25000000)))
