# A signal that comes while the script is compiled ends that.
# expect: ('', '', 143)
# timeout: 60
PYTHONPATH=tests/cli/lib python3 << 'END'
import os, signal
from program import Program

os.chdir(os.environ["TMPDIR"])
with open("large.csp", "w") as file:
    file.write("".join(f"func f{n}(x) {{ return x + {n} }}\n"
                       for n in range(200000)))
    file.write('defer println("never")\nsleep(1h)\n')


def is_blocked(pid):
    with open(f"/proc/{pid}/status") as status:
        masks = dict(line.split(":", 1) for line in status)
    return int(masks["SigBlk"], 16) & 1 << signal.SIGUSR2 - 1 != 0


p = Program('import "./large"')
while not is_blocked(p.process.pid):
    pass
p.send("TERM")
print(p.end())
END
