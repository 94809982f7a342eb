-- SPDX-License-Identifier: MIT
local function fannkuch(n)
  local perm, perm1, count = {}, {}, {}
  for i = 1, n do perm[i], perm1[i], count[i] = i, i, i end
  local max_flips, checksum = 0, 0
  local even = true
  local r = n
  while true do
    while r ~= 1 do
      count[r] = r
      r = r - 1
    end
    for i = 1, n do perm[i] = perm1[i] end
    local flips = 0
    while perm[1] ~= 1 do
      local i, j = 1, perm[1]
      while i < j do
        perm[i], perm[j] = perm[j], perm[i]
        i = i + 1
        j = j - 1
      end
      flips = flips + 1
    end
    if flips > max_flips then max_flips = flips end
    checksum = checksum + (even and flips or -flips)
    even = not even
    while true do
      if r == n then return checksum, max_flips end
      local first = perm1[1]
      for i = 1, r do perm1[i] = perm1[i + 1] end
      perm1[r + 1] = first
      count[r + 1] = count[r + 1] - 1
      if count[r + 1] > 0 then break end
      r = r + 1
    end
  end
end

for _ = 1, 3 do
  local checksum, max_flips = fannkuch(9)
  print(string.format("%d %d", checksum, max_flips))
end
