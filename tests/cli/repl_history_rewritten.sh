# A history that has become too long is written anew beside the old one, and
# takes its place when it is whole. Links and the mode stay.
# expect: 1001 0o640
# expect: linked 1001 0o600 True
# expect: untouched 2500 2500
# expect: ['history', 'old', 'real', 'real_old']
# timeout: 20
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

home = os.environ["TMPDIR"]
folder = os.path.join(home, ".local/state/cspvm")
os.makedirs(folder)
history, old, real, real_old = (os.path.join(folder, name) for name in
                                ("history", "old", "real", "real_old"))

def write(path, mode):
    with open(path, "w") as file:
        file.writelines(f"{n}\n" for n in range(2500))
    os.chmod(path, mode)

def lines(path):
    with open(path) as file:
        return len(file.readlines())

def use():
    t = Terminal(home=home)
    t.expect(":help")
    t.prompt()
    t.check("1 + 2", "3\n")
    t.end()

write(history, 0o640)
os.link(history, old)  # would change with a file that is written in place
use()
print(lines(history), oct(os.stat(history).st_mode & 0o777))
os.unlink(history)
write(real, 0o600)
os.link(real, real_old)
os.symlink("real", history)
use()
print("linked", lines(real), oct(os.stat(real).st_mode & 0o777),
      os.path.islink(history))
print("untouched", lines(old), lines(real_old))
print(sorted(os.listdir(folder)))
END
