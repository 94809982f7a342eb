# SIGINT, SIGTERM and SIGHUP cancel the main goroutine, wherever it waits, in a
# group and a native, too: its deferred calls run, `try` does not stop that, and
# the status is the signal's.
# procs: 1,4
# expect: fine
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os, sys
from program import Program

WAITS = {
    "sleep(1h)": "",
    "<-chan()": "",
    "select {}": "",
    "try(func() { sleep(1h) })": "",
    "<-(go func() { <-other }())": "",
    "group { go { defer println(\"inner\"); sleep(1h) } }": "inner\n",
    "[1].each(func(x) { sleep(1h) })": "",
    "os.run(\"sleep\", [\"1000\"])": "",
    "for { }": "",
    "for { other2 <- 1; <-other2 }": "",
}
# Its last goroutine sees to it that no wait is a deadlock.
CODE = """
import "os"
other := chan()
other2 := chan(1)
go { sleep(1h) }
defer println("last")
defer { sleep(1ms); println("first") }
println("ready")
os.flush()
%s
"""
procs = os.environ.get("PROCS") or "2"
for wait, inner in WAITS.items():
    for name, status in ("INT", 130), ("TERM", 143), ("HUP", 129):
        p = Program(CODE % wait, "--procs", procs)
        p.expect("ready")
        p.send(name)
        got = p.end()
        if got != (inner + "first\nlast\n", "", status):
            sys.exit(f"{wait}: {name}: {got}")
print("fine")
END
