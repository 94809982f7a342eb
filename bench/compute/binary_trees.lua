-- SPDX-License-Identifier: MIT
local function bottom_up(depth)
  if depth == 0 then return {} end
  return { bottom_up(depth - 1), bottom_up(depth - 1) }
end

local function count(node)
  if not node[1] then return 1 end
  return 1 + count(node[1]) + count(node[2])
end

local depth = 15
print("stretch " .. count(bottom_up(depth + 1)))
local kept = bottom_up(depth)
for d = 4, depth, 4 do
  local n = 2 ^ (depth - d + 4)
  local sum = 0
  for _ = 1, n do sum = sum + count(bottom_up(d)) end
  print(string.format("%d trees of depth %d nodes %d", n, d, sum))
end
print("kept " .. count(kept))
