# A second signal ends what the program has started, and what was written to
# files goes out.
# expect: begun
# expect: ('', '', 143)
# expect: written
# expect: ended
# timeout: 30
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from program import Program

CODE = """
import "os"
file := os.open("out", "w")?
file.write("written")?
defer {
  println("deferred")
  os.flush()
  for {}
}
go { _ = os.run("sh", ["-c", "exec 3> alive; echo begun >&3; exec sleep 60"]) }
println("ready")
os.flush()
sleep(1h)
"""
os.chdir(os.environ["TMPDIR"])
os.mkfifo("alive")
p = Program(CODE)
p.expect("ready")
alive = open("alive")
print(alive.readline(), end="")
p.send("INT")
p.expect("deferred")
p.send("TERM")
print(p.end())
print(open("out").read())
print("ended" if alive.read() == "" else "not")  # when nobody can write to it
END
