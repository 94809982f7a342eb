-- SPDX-License-Identifier: MIT
local players = {}
local x = 42
for i = 0, 199999 do
  x = x * 16807 % 2147483647
  players[#players + 1] = { number = i, score = x % 1000 }
end
table.sort(players, function(a, b)
  if a.score ~= b.score then return a.score > b.score end
  return a.number < b.number
end)

local check = 0
for i, p in ipairs(players) do
  check = (check * 31 + p.number + i - 1) % 1000003
end
print(string.format("%d %d %d", players[1].number, players[200000].number,
  check))
