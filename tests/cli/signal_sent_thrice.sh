# Signals at once are one request to end, however many: what is deferred runs.
# expect: 20 of 20
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
defer println("deferred")
println("ready")
os.flush()
sleep(1h)
"""
whole = 0
for turn in range(20):
    p = Program(CODE)
    p.expect("ready")
    p.send("INT", "TERM", "HUP")
    whole += p.end()[0] == "deferred\n"
print(whole, "of 20")
END
