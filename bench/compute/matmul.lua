-- SPDX-License-Identifier: MIT
local function matrix(n, seed)
  local m = {}
  for i = 0, n - 1 do
    local row = {}
    for j = 0, n - 1 do row[j + 1] = (i * n + j) * seed % 1009 / 64.0 end
    m[i + 1] = row
  end
  return m
end

local function product(a, b)
  local n = #b[1]
  local result = {}
  for i, row in ipairs(a) do
    local sums = {}
    for j = 1, n do sums[j] = 0.0 end
    for k, x in ipairs(row) do
      local other = b[k]
      for j = 1, n do sums[j] = sums[j] + x * other[j] end
    end
    result[i] = sums
  end
  return result
end

local n = 320
local c = product(matrix(n, 7), matrix(n, 11))
local trace = 0.0
for i = 1, n do trace = trace + c[i][i] end
print(string.format("%.6f %.6f", trace, c[n / 2 + 1][4]))
