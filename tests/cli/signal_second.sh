# A second signal ends the program at once, while deferred calls of the first
# one run; what was taken over is no exception.
# expect: ('', '', 130)
# expect: ('', '', 143)
# expect: ('', '', 130)
# timeout: 60
# (Where the run takes more than a second to end, threads and memory are left.)
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:report_thread_leaks=0"
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
defer { println("never") }
defer {
  println("deferred")
  os.flush()
  sleep(1h)
}
%s
println("ready")
os.flush()
sleep(1h)
"""
for taken, first, second in (("", "INT", "INT"), ("", "INT", "TERM"),
                             ("_ = os.signals(\"INT\")?", "TERM", "INT")):
    p = Program(CODE % taken)
    p.expect("ready")
    p.send(first)
    p.expect("deferred")
    p.send(second)
    print(p.end())
END
