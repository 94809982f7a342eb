# On a terminal SIGTERM ends the REPL as Ctrl-D does. What runs is cancelled, so
# that its deferred calls run. A line that is edited is dropped, also the second
# one of an input. The terminal has its settings back, and the history is kept.
# expect: fine [-15, -15, -15, -15, -15, 0]
PYTHONPATH=tests/cli/lib python3 << 'END'
import os, signal, sys, termios
from terminal import Terminal

ends = []


def start(term):
    t = Terminal(term=term)
    t.prompt()
    return t


def kill(t):
    os.kill(t.pid, signal.SIGTERM)


def end(t, keys=""):
    ends.append(t.end(keys))
    modes = termios.tcgetattr(t.fd)[3]
    if not modes & termios.ECHO or not modes & termios.ICANON:
        print("the terminal is left as the editor wants it")


for term in "xterm", "dumb":
    t = start(term)
    t.check("6 * 7", "42\n")
    t.send('defer println("deferred"); println("go"); sleep(1h)\n')
    t.expect("go\n")
    kill(t)
    t.expect("deferred\n")
    end(t)
    t = start(term)
    t.send("(1 +\n")
    t.expect(" ... ")
    t.send("2")
    t.expect("2")
    kill(t)
    end(t)

t = start("xterm")
t.check("6 * 7", "42\n")
t.run('func late() { defer println("late"); println("in"); sleep(1h) }')
t.send('defer late(); println("go"); sleep(1h)\n')
t.expect("go\n")
kill(t)
t.expect("in\n")
kill(t)
end(t)
if "late" in t.seen[t.at :]:
    print("a second signal did not end it at once")

t = start("xterm")
t.send("\x1b[A\x1b[A\x1b[A\n")  # the third last of the history
t.expect("42\n")
t.prompt()
end(t, "\x04")
print("fine", ends)
END
