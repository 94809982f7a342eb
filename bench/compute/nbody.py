# SPDX-License-Identifier: MIT
from math import pi, sqrt

DAYS = 365.24
SOLAR_MASS = 4 * pi * pi


class Body:
    __slots__ = ("x", "y", "z", "vx", "vy", "vz", "mass")

    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def bodies():
    return [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS),
        Body(4.84143144246472090, -1.16032004402742839,
             -0.103622044471123109, 0.00166007664274403694 * DAYS,
             0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS,
             0.000954791938424326609 * SOLAR_MASS),
        Body(8.34336671824457987, 4.12479856412430479,
             -0.403523417114321381, -0.00276742510726411896 * DAYS,
             0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS,
             0.000285885980666130812 * SOLAR_MASS),
        Body(12.8943695621391310, -15.1111514016986312,
             -0.223307578892655734, 0.00296460137564761618 * DAYS,
             0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS,
             0.0000436624404335156298 * SOLAR_MASS),
        Body(15.3796971148509165, -25.9193146099879641,
             0.179258772950371181, 0.00268067772490389322 * DAYS,
             0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS,
             0.0000515138902046611451 * SOLAR_MASS),
    ]


def offset_momentum(system):
    px = py = pz = 0.0
    for b in system:
        px += b.vx * b.mass
        py += b.vy * b.mass
        pz += b.vz * b.mass
    sun = system[0]
    sun.vx = -px / SOLAR_MASS
    sun.vy = -py / SOLAR_MASS
    sun.vz = -pz / SOLAR_MASS


def energy(system):
    e = 0.0
    for i, a in enumerate(system):
        e += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for b in system[i + 1:]:
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            e -= a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    return e


def advance(system, dt):
    n = len(system)
    for i in range(n):
        a = system[i]
        for j in range(i + 1, n):
            b = system[j]
            dx = a.x - b.x
            dy = a.y - b.y
            dz = a.z - b.z
            square = dx * dx + dy * dy + dz * dz
            mag = dt / (square * sqrt(square))
            ma = a.mass * mag
            mb = b.mass * mag
            a.vx -= dx * mb
            a.vy -= dy * mb
            a.vz -= dz * mb
            b.vx += dx * ma
            b.vy += dy * ma
            b.vz += dz * ma
    for b in system:
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz


def main():
    system = bodies()
    offset_momentum(system)
    print(f"{energy(system):.9f}")
    for _ in range(300_000):
        advance(system, 0.01)
    print(f"{energy(system):.9f}")


main()
