-- SPDX-License-Identifier: MIT
-- Lua 5.4 only: needs 64-bit ints.
local function fnv1a(text)
  local h = -3750763034362895579
  for i = 1, #text do h = (h ~ text:byte(i)) * 1099511628211 end
  return h
end

local function run(rounds)
  local text = ("The quick brown fox jumps over the lazy dog. "):rep(200)
  local sum = 0
  for _ = 1, rounds do sum = sum + fnv1a(text) end
  return fnv1a(text), sum
end

print(string.format("%d %d", run(1500)))
