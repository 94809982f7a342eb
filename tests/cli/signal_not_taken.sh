# A signal that the script has not taken over does what it did: SIGUSR1 ends the
# process, SIGWINCH does nothing, and an ignored SIGHUP does nothing until it is
# taken over.
# expect: ('', '', 138)
# expect: WINCH
# expect: HUP
# expect: ('', '', 0)
# (The end at once leaves threads and memory.)
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:report_thread_leaks=0"
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
PYTHONPATH=tests/cli/lib python3 << 'END'
import signal
from program import Program


def ignores_hup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


p = Program('import "os"; println("ready"); os.flush(); sleep(1h)')
p.expect("ready")
p.send("USR1")
print(p.end())

p = Program("""
import "os"
func say(what) { println(what); os.flush() }
windows := os.signals("USR2")?
say("ready")
<-windows
windows = os.signals("WINCH")?
say("ready")
say(<-windows)
hups := os.signals("HUP")?
say("ready")
say(<-hups)
""", before=ignores_hup)
p.expect("ready")
p.send("WINCH", "HUP", "CONT", "USR2")
p.expect("ready")
p.send("WINCH")
p.expect("WINCH")
print("WINCH")
p.expect("ready")
p.send("HUP")
p.expect("HUP")
print("HUP")
print(p.end())
END
