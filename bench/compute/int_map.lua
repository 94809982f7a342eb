-- SPDX-License-Identifier: MIT
local function key(i) return i * 7919 % 99999989 end

local function run(n)
  local m = {}
  for i = 0, n - 1 do m[key(i)] = i end
  for i = 0, 2 * n - 1 do
    local k = key(i)
    m[k] = (m[k] or 0) + 1
  end
  local found = 0
  for i = 0, 4 * n - 1 do
    if m[key(i)] then found = found + 1 end
  end
  for i = 0, n - 1, 2 do m[key(i)] = nil end
  local left, sum = 0, 0
  for k, v in pairs(m) do
    left = left + 1
    sum = sum + k + v
  end
  return left, found, sum
end

print(string.format("%d %d %d", run(600000)))
