# On a terminal on which nothing can be edited the REPL is no pipe: it has its
# prompt, and Ctrl-C interrupts what runs or drops the line.
# procs: 1,4
# expect: fine 0
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

t = Terminal("--procs", os.environ.get("PROCS") or "2", term="dumb")
t.expect(":help")
t.prompt()
t.check("1 + 2", "3\n")
t.send("func add(a, b) {\n")
t.expect(" ... ")
t.send("  return a + b\n")
t.expect(" ... ")
t.check("}", "")
t.check('add("ä", "b")', '"äb"\n')

t.interrupt('println("go"); for { }', "^C\ninterrupted\n  main at repl[")
t.check("sleeps := go sleep(1000s)", "")  # so that what waits is no deadlock
t.interrupt('println("go"); <-sleeps', "^C\ninterrupted\n  main at repl[")
t.interrupt('println("go"); sleep(1000s)', "^C\ninterrupted\n  main at repl[")

t.send("this is dropped\x03")
t.expect("^C\n")
t.prompt()
t.send("(\n")
t.expect(" ... ")
t.send("2\x03")
t.expect("^C\n")
t.prompt()
t.check("c := chan(); go { <-c; println(\"tick\") }", "")
t.send("go { c <- 1 }\n")
t.expect("tick\n")
t.prompt()  # again
t.check("x" * 1000 + " := 7", "")
t.check("x" * 1000, "7\n")
print("fine", t.end())
END
