# Ctrl-C interrupts the evaluation, however it waits or computes, `try` or not;
# other goroutines go on.
# procs: 1,4
# expect: fine 0
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

t = Terminal("--procs", os.environ.get("PROCS") or "2")
t.prompt()

t.run("never := chan(); turns := 0; go { for { turns++; sleep(1ms) } }")
t.interrupt('println("go"); for { }', "interrupted\n  main at repl[2]:1:")
t.interrupt('println("go"); for { _ = try(func() { for { } }) }', "interrupted\n")
t.interrupt('println("go"); [1, 2].each(func(x) { for { } })', "interrupted\n")
t.interrupt('println("go"); for { sleep(1ms) }', "interrupted\n  main")
t.interrupt('println("go"); sleep(1000s)', "interrupted\n  main at repl[")
t.interrupt('println("go"); select { case <-never: }', "interrupted\n  main at repl[")
t.interrupt('println("go"); group { go { <-never } }', "interrupted\n  main")
t.interrupt('defer func() { sleep(1ms); println("cleaned up") }(); println("go"); '
            '<-go func() { <-never }()', "cleaned up\n")
t.interrupt('func f() { defer println("deferred"); println("go"); for { } }; f()',
            "deferred\n")
t.check('"still here"', '"still here"\n')
t.check("before := turns", "")
t.check('for turns == before { sleep(1ms) }; "they go on"', '"they go on"\n')
t.run("struct E { x }")
t.run('func (e E) error() { println("go"); for { } }')
t.run("func fails() => E(1)")
t.interrupt("fails()?", "error: E(x: 1)\n")  # its text is left out
print("fine", t.end())
END
