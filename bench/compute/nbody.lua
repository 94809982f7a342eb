-- SPDX-License-Identifier: MIT
local sqrt = math.sqrt
local DAYS = 365.24
local SOLAR_MASS = 4 * math.pi * math.pi

local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, mass = mass }
end

local function bodies()
  return {
    body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS),
    body(4.84143144246472090, -1.16032004402742839,
      -0.103622044471123109, 0.00166007664274403694 * DAYS,
      0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS,
      0.000954791938424326609 * SOLAR_MASS),
    body(8.34336671824457987, 4.12479856412430479,
      -0.403523417114321381, -0.00276742510726411896 * DAYS,
      0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS,
      0.000285885980666130812 * SOLAR_MASS),
    body(12.8943695621391310, -15.1111514016986312,
      -0.223307578892655734, 0.00296460137564761618 * DAYS,
      0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS,
      0.0000436624404335156298 * SOLAR_MASS),
    body(15.3796971148509165, -25.9193146099879641,
      0.179258772950371181, 0.00268067772490389322 * DAYS,
      0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS,
      0.0000515138902046611451 * SOLAR_MASS),
  }
end

local function offset_momentum(system)
  local px, py, pz = 0.0, 0.0, 0.0
  for _, b in ipairs(system) do
    px = px + b.vx * b.mass
    py = py + b.vy * b.mass
    pz = pz + b.vz * b.mass
  end
  local sun = system[1]
  sun.vx = -px / SOLAR_MASS
  sun.vy = -py / SOLAR_MASS
  sun.vz = -pz / SOLAR_MASS
end

local function energy(system)
  local e = 0.0
  for i, a in ipairs(system) do
    e = e + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for j = i + 1, #system do
      local b = system[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      e = e - a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return e
end

local function advance(system, dt)
  local n = #system
  for i = 1, n do
    local a = system[i]
    for j = i + 1, n do
      local b = system[j]
      local dx = a.x - b.x
      local dy = a.y - b.y
      local dz = a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local mag = dt / (square * sqrt(square))
      local ma = a.mass * mag
      local mb = b.mass * mag
      a.vx = a.vx - dx * mb
      a.vy = a.vy - dy * mb
      a.vz = a.vz - dz * mb
      b.vx = b.vx + dx * ma
      b.vy = b.vy + dy * ma
      b.vz = b.vz + dz * ma
    end
  end
  for i = 1, n do
    local b = system[i]
    b.x = b.x + dt * b.vx
    b.y = b.y + dt * b.vy
    b.z = b.z + dt * b.vz
  end
end

local system = bodies()
offset_momentum(system)
print(string.format("%.9f", energy(system)))
for _ = 1, 300000 do advance(system, 0.01) end
print(string.format("%.9f", energy(system)))
