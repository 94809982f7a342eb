-- SPDX-License-Identifier: MIT
local function append_lines(lines)
  local text = ""
  for i = 0, lines - 1 do
    text = text .. "line "
    text = text .. i
    text = text .. "\n"
  end
  return text
end

local function join_lines(lines)
  local pieces = {}
  for i = 0, lines - 1 do pieces[#pieces + 1] = "line " .. i end
  return table.concat(pieces, "\n")
end

local appended, joined = 0, 0
for round = 0, 39 do
  appended = appended + #append_lines(1500 + round)
  joined = joined + #join_lines(30000 + round)
end
print(string.format("%d %d", appended, joined))
