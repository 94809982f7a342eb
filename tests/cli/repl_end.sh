# On an empty line Ctrl-D ends the REPL, or drops an input that has begun. It
# does not end a line that is not empty.
# expect: fine 0 0 0
PYTHONPATH=tests/cli/lib python3 << 'END'
from terminal import Terminal


def start(term):
    t = Terminal(term=term)
    t.expect(":help")
    t.prompt()
    return t


def drop(t):
    t.send("(\n")
    t.expect(" ... ")
    t.send("2 +\n")
    t.expect(" ... ")
    t.send("\x04")
    t.prompt()
    t.check("6 * 7", "42\n")


t = start("xterm")
drop(t)
t.send("123\x04")  # at the end: nothing
t.send("\x02\x02\x04\n")  # two to the left, and the 2 is deleted
t.expect("\n13\n")
t.prompt()
ends = [t.end()]

t = start("dumb")
drop(t)
t.send("4 + 5\x04\x04")  # as Enter
t.expect("\n9\n")
t.prompt()
ends.append(t.end())

t = start("dumb")
t.send("none\n")  # no reason for a bad status: somebody has seen it
t.expect("none")
t.prompt()
ends.append(t.end())
print("fine", *ends)
END
