# Ctrl-C at any moment of the REPL's start is nobody's: nothing crashes, and
# what is evaluated first is not given up for it.
# expect: fine
# timeout: 60
PYTHONPATH=tests/cli/lib python3 << 'END'
import glob, os, signal, sys, time
from terminal import Terminal

INT = 1 << (signal.SIGINT - 1)


def has_int(pid, field):
    """Whether the mask of that name holds the signal."""
    with open(f"/proc/{pid}/status") as status:
        masks = dict(line.split(":", 1) for line in status)
    return int(masks[field], 16) & INT != 0


def turns(pid):
    """How often each thread had a CPU, or None if one wants or has one."""
    counts = {}
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path) as status:
            fields = dict(line.split(":", 1) for line in status)
        if fields["State"].split()[0] != "S":
            return None
        counts[path] = fields["voluntary_ctxt_switches"]
    return counts


def at_rest(pid):
    """Whether the signal was taken, and all threads wait for something. One
    may have woken another that was looked at before, so all are looked at
    twice."""
    if has_int(pid, "ShdPnd"):
        return False
    try:
        before = turns(pid)
        return before is not None and turns(pid) == before
    except FileNotFoundError:
        return False


def start(delay):
    t = Terminal("--procs", "2")
    # fork blocks all signals for a moment, too.
    while os.readlink(f"/proc/{t.pid}/exe") == os.readlink("/proc/self/exe"):
        pass
    while not has_int(t.pid, "SigBlk"):
        pass
    until = time.perf_counter() + delay
    while time.perf_counter() < until:
        pass
    os.kill(t.pid, signal.SIGINT)
    t.prompt()
    while not at_rest(t.pid):
        time.sleep(0.001)
    return t


for moment in range(60):
    t = start(moment * 50e-6)
    t.send("sleep(600ms); 6 * 7\n" if moment % 20 == 0 else "6 * 7\n")
    t.expect("\n42\n")
    t.prompt()
    if t.end() != 0:
        sys.exit(f"moment {moment}: ended otherwise")
print("fine")
END
