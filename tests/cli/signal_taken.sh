# os.signals takes signals over: each comes once to each open channel that wants
# it, and SIGINT ends the program no more. Closing the channels gives it back.
# procs: 1,4
# expect: INT INT
# expect: USR1
# expect: HUP
# expect: INT again: INT
# expect: ('ended\n', '', 130)
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from program import Program

p = Program("""
import "os"
defer println("ended")
one := os.signals("INT", "USR1")?
two := os.signals("HUP", "INT")?
func say(what...) { println(what...); os.flush() }
say("ready")
first := <-one
say(first, <-two)
say(<-one)
say(<-two)
close(two)
say("INT again:", <-one)
close(one)
say("given back")
sleep(1h)
""", "--procs", os.environ.get("PROCS") or "2")


def step(name, line):
    p.send(name)
    p.expect(line)
    print(line)


p.expect("ready")
step("INT", "INT INT")
step("USR1", "USR1")
step("HUP", "HUP")
step("INT", "INT again: INT")
p.expect("given back")
p.send("INT")
print(p.end())
END
