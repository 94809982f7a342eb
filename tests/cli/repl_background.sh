# Goroutines go on while the prompt waits; what they print stands on lines of
# its own, and the line that is edited comes again below. A panic in one ends
# it alone; os.exit ends all, and the terminal is as it was.
# expect: fine 3
# What the thread that reads may still touch is left to the process on purpose.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
PYTHONPATH=tests/cli/lib python3 << 'END'
from terminal import Terminal

t = Terminal(columns=30)
t.prompt()
t.run('import "os"')
t.run('go { sleep(50ms); println("tick") }')
t.send("1 + ")
t.expect("tick\ncsp> 1 + ")
t.send("1\n")
t.expect("2\n")
t.prompt()
t.run('go { sleep(50ms); print("no newline") }')
t.send('"a line that is longer than the terminal is wide"')
t.expect('no newline\ncsp> "a line that is longer')
t.send("\n")
t.prompt()
t.run('go { sleep(50ms); panic("boom") }')
t.send("3 + ")
t.expect("panic: boom\n")
t.expect("csp> 3 + ")
t.send("4\n")
t.expect("7\n")
t.prompt()
t.run("go { sleep(50ms); os.exit(3) }")
print("fine", t.end("half a line"))
END
