# On a terminal: several lines, the history and its file, what is dropped, the
# end.
# expect: fine 0
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

home = os.environ["TMPDIR"] + "/home"
os.mkdir(home)
t = Terminal(home=home)
t.expect(":help")
t.prompt()
t.check("1 + 2", "3\n")
t.send("func add(a, b) {\n")
t.expect(" ... ")
t.send("  return a + b\n")
t.expect(" ... ")
t.check("}", "")
t.check('add("ä", `\\n`)', '"ä\\\\n"\n')
t.check("add(1)", "panic: add: too few arguments: 1 given, 2 needed "
        "(`b` is missing)\n  main at repl[4]:1:4\n    add(1)\n       ^\n")
t.send("print(1)\n")  # the prompt begins a line of its own
t.expect("1\ncsp> ")
t.send("this is dropped\x03")
t.expect("^C\n")
t.prompt()
t.send("(\n")
t.expect(" ... ")
t.send("2\x03")
t.expect("^C\n")
t.prompt()
t.send("\x1b[A\x1b[A")  # arrow up: the input before the last one
t.expect("add(1)")
t.send("\x7f, 5)\n")
t.expect("6\n")
t.prompt()
assert t.end() == 0

path = home + "/.local/state/cspvm/history"
assert os.stat(path).st_mode & 0o777 == 0o600
with open(path) as file:
    lines = file.read().split("\n")
assert lines == ["1 + 2", "func add(a, b) {\\n  return a + b\\n}",
                 'add("ä", `\\\\n`)', "add(1)", "print(1)", "add(1, 5)", ""]

t = Terminal(home=home)
t.prompt()
t.send("\x1b[A" * 5)  # of several lines
t.expect("return a + b")
t.send("\n")
t.prompt()
t.check("add(3, 4)", "7\n")
print("fine", t.end(":quit\n"))
END
