# Without a thread for it a blocking call is an error, and the rest goes on.
# expect: hello
# expect: true cannot read Makefile: no thread for it: the limit of threads is reached, or the system refuses one
# expect: 6765
# expect: hello
# expect: true cannot read Makefile: no thread for it: the limit of threads is reached, or the system refuses one
# expect: 6765
code='import "os"
import "sched"
println("hello")
turns := 0
go { for { turns++; sched.yield() } }
for turns == 0 { sched.yield() }
text, err := os.read_file("Makefile")
println(text == nil, err)
func fib(n) { if n < 2 { return n }
  return fib(n - 1) + fib(n - 2) }
println(fib(20))'
"$CSPVM" --procs 1 --max-threads 1 -e "$code"
# The system refuses: a user who may have one process. (Root has no such limit
# and becomes somebody else first, with the program open already.)
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
os.execve(fd, ["cspvm", "--procs", "1", "-e", sys.argv[2]], env)
END
