# A goroutine that waits for a signal is not deadlocked, also again and again;
# without an open channel of signals the others are.
# procs: 1,4
# expect: INT
# expect: INT
# expect: deadlock: all goroutines are asleep
# expect: 1
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from program import Program

p = Program("""
import "os"
func say(what) { println(what); os.flush() }
signals := os.signals("INT")?
say("ready")
say(<-signals)
say(<-signals)
close(signals)
<-chan()
""", "--procs", os.environ.get("PROCS") or "2")
p.expect("ready")


def is_asleep():
    folder = f"/proc/{p.process.pid}/task"
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/stat") as stat:
            if stat.read().rsplit(")", 1)[1].split()[0] != "S":
                return False
    return True


for _ in range(2):
    while not is_asleep():
        pass
    p.send("INT")
    p.expect("INT")
    print("INT")
out, err, status = p.end()
print(err.split("\n")[0])
print(status)
END
