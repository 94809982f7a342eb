-- SPDX-License-Identifier: MIT
local function build(depth, n)
  if depth == 0 then
    return { id = n, name = 'leaf "' .. n .. '"', even = n % 2 == 0 }
  end
  local children = {}
  for i = 0, 2 do children[#children + 1] = build(depth - 1, n * 3 + i) end
  return {
    id = n,
    name = "node " .. n,
    tags = { "depth", "d" .. depth, depth },
    children = children,
  }
end

local function sum(v)
  local kind = type(v)
  if kind == "number" then return v end
  local total = 0
  if kind == "table" then
    for _, item in pairs(v) do total = total + sum(item) end
  end
  return total
end

local function quote(s)
  return '"' .. s:gsub('[\\"]', "\\%0") .. '"'
end

local function encode(v, out)
  local kind = type(v)
  if kind == "string" then
    out[#out + 1] = quote(v)
  elseif kind == "table" and v[1] ~= nil then
    out[#out + 1] = "["
    for i, item in ipairs(v) do
      if i > 1 then out[#out + 1] = "," end
      encode(item, out)
    end
    out[#out + 1] = "]"
  elseif kind == "table" then
    out[#out + 1] = "{"
    local keys = {}
    for k in pairs(v) do keys[#keys + 1] = k end
    table.sort(keys)
    for i, k in ipairs(keys) do
      if i > 1 then out[#out + 1] = "," end
      out[#out + 1] = quote(k)
      out[#out + 1] = ":"
      encode(v[k], out)
    end
    out[#out + 1] = "}"
  else
    out[#out + 1] = tostring(v)
  end
end

for n = 0, 24 do
  local tree = build(7, n)
  local out = {}
  encode(tree, out)
  local text = table.concat(out)
  print(string.format("%d %d %s", sum(tree), #text,
    text:sub(n * 100 + 1, n * 100 + 50)))
end
