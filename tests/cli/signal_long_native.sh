# A signal cancels the main goroutine in a native that has no end, and that
# cannot be left in the middle. Where another goroutine is in such a native the
# world does not stop, and a second signal ends the program all the same.
# expect: ('deferred\n', '', 143)
# expect: ('', '', 130)
# timeout: 60
# (Where the run takes more than a second to end, threads and memory are left.)
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:report_thread_leaks=0"
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
PYTHONPATH=tests/cli/lib python3 << 'END'
import os, time
from program import Program

# Each text is compared with one that differs at its end.
CODE = """
import "os"
near := "ab".repeat(5_000_000)
far := near + "c"
texts := [near + "d"].repeat(1_000_000)
defer { println("deferred") }
%s
"""
p = Program(CODE % 'println("ready")\nos.flush()\n_ = far in texts')
p.expect("ready")
p.send("TERM")
print(p.end())

# The goroutine keeps its P, and main needs another one.
if os.environ.get("CSPPROCS") == "1":
    os.environ["CSPPROCS"] = "2"
p = Program(CODE % 'go { _ = far in texts }\nsleep(20ms)\nprintln("ready")\nos.flush()\nsleep(1h)')
p.expect("ready")
p.send("INT")
time.sleep(0.2)  # so that they are two (if not, it takes longer)
p.send("INT")
print(p.end())
END
