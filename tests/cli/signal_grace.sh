# Deferred calls that do not end have the time of grace. Then they are
# cancelled, too, whether they compute or wait, and the others still run. Of the
# time of grace (5 s) the one that computes sleeps most, as that costs less.
# expect: ('waits\nlast\n', '', 130)
# expect: ('computes\nlast\n', '', 143)
# timeout: 60
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
defer println("last")
defer {
  println("%s")
  %s
  println("never")
}
println("ready")
os.flush()
sleep(1h)
"""
both = [Program(CODE % ("waits", "sleep(1h)")),
        Program(CODE % ("computes", "sleep(4500ms)\n  for { }"))]
for p, name in zip(both, ("INT", "TERM")):
    p.expect("ready")
    p.send(name)
for p in both:
    print(p.end())
END
