# SPDX-License-Identifier: MIT
from lib import players

players.run(lambda p: (-p.score, p.name))
