# SIGQUIT shows the goroutines also while deferred calls of a signal run.
# expect: 2
# expect: SIGQUIT: quit
# expect: goroutine 1
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
defer {
  println("deferred")
  os.flush()
  sleep(1h)
}
println("ready")
os.flush()
sleep(1h)
"""
p = Program(CODE)
p.expect("ready")
p.send("TERM")
p.expect("deferred")
p.send("QUIT")
out, err, status = p.end()
print(status)
lines = err.splitlines()
print(lines[0], lines[2].split(" [")[0], sep="\n")
END
