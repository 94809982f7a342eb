# Deferred calls that do not end have the time of grace. Then they are
# cancelled, too, whether they compute or wait, and the others still run. Of the
# time of grace (5 s) the one that computes sleeps most, as that costs less. The
# errors that others have given before are told, and so is the panic by which
# they were called, but not that it was overtaken.
# expect: ('waits\nlast\n', '', 130)
# expect: ('computes\nlast\n', '', 143)
# expect: 143 panic: cancelled,  also: not closed
# expect: 1 panic: boom
# timeout: 60
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
func ready() {
  println("ready")
  os.flush()
}
defer println("last")
defer {
  println("%s")
  %s
  println("never")
}
%s
sleep(1h)
"""
programs = [
    Program(CODE % ("waits", "sleep(1h)", "ready()")),
    Program(CODE % ("computes", "sleep(4500ms)\n  for { }", "ready()")),
    Program(CODE % ("carries", "sleep(1h)",
                    'defer func() { return error("not closed") }()\nready()')),
    Program(CODE % ("panics", "ready()\n  sleep(1h)", 'panic("boom")'))]
for p, name in zip(programs, ("INT", "TERM", "TERM", "TERM")):
    if p == programs[3]:
        p.expect("panics")
    p.expect("ready")
    p.send(name)
for p in programs[:2]:
    print(p.end())
for p in programs[2:]:
    out, err, status = p.end()
    print(status, ",".join(err.split("\n\n")[0].split("\n")))
END
