# Without a thread for it a blocking call is an error, and the rest goes on.
# expect: hello
# expect: false nil
# expect: false
# expect: 6765
# expect: hello
# expect: true cannot read Makefile: no thread for it: the limit of threads is reached, or the system refuses one, or a descriptor that a stepped runtime must watch
# expect: 6765
code='import "os"
import "sched"
println("hello")
turns := 0
go { for { turns++; sched.yield() } }
for turns == 0 { sched.yield() }
if os.args[0] == "run" {
  result, err := os.run("true")
  println(result == nil, err)
}
text, err := os.read_file("Makefile")
if text == nil { println(true, err) } else { println(false) }
func fib(n) { if n < 2 { return n }
  return fib(n - 1) + fib(n - 2) }
println(fib(20))'
# Calls that may be quick, and waits for programs, need no thread of their own.
"$CSPVM" --procs 1 --max-threads 2 -e "$code" run
# The system refuses, even the thread that would watch over quick calls: a user
# who may have one process. (Root has no such limit and becomes somebody else
# first, with the program open already.)
python3 - "$CSPVM" "$code" << 'END'
import os, resource, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(54321, 54321, 54321)
    os.setresuid(54321, 54321, 54321)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
# (leak detection would want a thread of its own)
env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
os.execve(fd, ["cspvm", "--procs", "1", "-e", sys.argv[2], "read"], env)
END
