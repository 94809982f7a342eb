# A channel of signals that nobody receives from drops what it has no room for;
# the thread that reads signals does not wait, and TERM ends the program.
# expect: ('16\n', '', 143)
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

p = Program("""
import "os"
full := os.signals("USR1")?
each := os.signals("USR1")?
defer { println(len(full)) }
println("ready")
os.flush()
for {
  println(<-each)
  os.flush()
}
""")
p.expect("ready")
for _ in range(20):
    p.send("USR1")
    p.expect("USR1")
p.send("TERM")
print(p.end())
END
