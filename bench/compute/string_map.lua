-- SPDX-License-Identifier: MIT
local function run(n)
  local keys = {}
  for i = 0, n - 1 do
    keys[#keys + 1] = "key-" .. i * 7919 % 1000003
  end
  local counts = {}
  for round = 0, 19 do
    for i = 0, n - 1 do
      local k = keys[i + 1]
      counts[k] = (counts[k] or 0) + i % 10 + round
    end
  end
  local found = 0
  for i = 0, 4 * n - 1 do
    if counts["key-" .. i] then found = found + 1 end
  end
  for i = 0, n - 1, 2 do counts[keys[i + 1]] = nil end
  local left, sum = 0, 0
  for k, v in pairs(counts) do
    left = left + 1
    sum = sum + #k * v
  end
  return left, found, sum
end

print(string.format("%d %d %d", run(120000)))
