-- SPDX-License-Identifier: MIT
local function escapes(cr, ci, limit)
  local zr, zi = 0.0, 0.0
  for n = 0, limit - 1 do
    local r2 = zr * zr
    local i2 = zi * zi
    if r2 + i2 > 4.0 then return n end
    zi = 2.0 * zr * zi + ci
    zr = r2 - i2 + cr
  end
  return limit
end

local function picture(size, limit)
  local inside, steps = 0, 0
  for y = 0, size - 1 do
    local ci = 2.0 * y / size - 1.0
    for x = 0, size - 1 do
      local n = escapes(2.0 * x / size - 1.5, ci, limit)
      if n == limit then inside = inside + 1 end
      steps = steps + n
    end
  end
  return inside, steps
end

local inside, steps = picture(700, 100)
print(string.format("%d %d", inside, steps))
