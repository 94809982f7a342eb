-- SPDX-License-Identifier: MIT
local function a(i, j)
  return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1)
end

local function times(v, n)
  local result = {}
  for i = 0, n - 1 do
    local sum = 0.0
    for j = 0, n - 1 do sum = sum + a(i, j) * v[j + 1] end
    result[i + 1] = sum
  end
  return result
end

local function times_transposed(v, n)
  local result = {}
  for i = 0, n - 1 do
    local sum = 0.0
    for j = 0, n - 1 do sum = sum + a(j, i) * v[j + 1] end
    result[i + 1] = sum
  end
  return result
end

local function norm(n)
  local u, v = {}, {}
  for i = 1, n do u[i] = 1.0 end
  for _ = 1, 10 do
    v = times_transposed(times(u, n), n)
    u = times_transposed(times(v, n), n)
  end
  local uv, vv = 0.0, 0.0
  for i = 1, n do
    uv = uv + u[i] * v[i]
    vv = vv + v[i] * v[i]
  end
  return math.sqrt(uv / vv)
end

print(string.format("%.9f", norm(500)))
