# A history that is no ordinary file is left alone: a FIFO would be waited for,
# and /dev/zero has no end.
# expect: fifo 0
# expect: zero 0
# expect: full 0
# timeout: 20
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

def use(name, make):
    home = os.path.join(os.environ["TMPDIR"], name)
    folder = os.path.join(home, ".local/state/cspvm")
    os.makedirs(folder)
    make(os.path.join(folder, "history"))
    t = Terminal(home=home)
    t.expect(":help")
    t.prompt()
    t.check("1 + 2", "3\n")
    print(name, t.end(), flush=True)

use("fifo", os.mkfifo)
use("zero", lambda path: os.symlink("/dev/zero", path))
use("full", lambda path: os.symlink("/dev/full", path))
END
