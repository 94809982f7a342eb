# On a terminal: three backquotes that end the input wait for the lines of text.
# expect: fine 0
PYTHONPATH=tests/cli/lib python3 << 'END'
from terminal import Terminal

t = Terminal()
t.expect(":help")
t.prompt()
t.send("lines := ```\n")
t.expect(" ... ")
t.send("  a\n")
t.expect(" ... ")
t.check("  ```", "")
t.check("lines", '"a\\n"\n')
print("fine", t.end())
END
