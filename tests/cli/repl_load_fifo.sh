# A script is loaded from a FIFO when somebody writes it. Until then Ctrl-C ends
# the load, and other goroutines go on.
# expect: fine 0
# procs: 1,4
# timeout: 60
export PROCS=$2
mkfifo "$TMPDIR/fifo"
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

fifo = os.environ["TMPDIR"] + "/fifo"
t = Terminal("--procs", os.environ.get("PROCS") or "2")
t.prompt()
t.run("turns := 0; seen := chan(1); go { for { turns++; sleep(1ms) } }")
t.run('import "os"; go { sleep(20ms); _, _ = os.run("true"); println("loading") }')
t.send(":load %s\n" % fifo)
t.expect("loading")
t.send("\x03")
t.expect("cannot read %s: interrupted" % fifo)
t.prompt()
t.check("turns > 0", "true\n")
t.send(":load %s\n" % fifo)
with open(fifo, "w") as out:
    out.write("from_fifo := 6 * 7\n")
t.prompt()
t.check("from_fifo", "42\n")
print("fine", t.end())
END
