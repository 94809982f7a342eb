# Without a terminal SIGINT, SIGTERM and SIGHUP cancel the input that runs, as
# they cancel main of a script. Its deferred calls run, and the REPL ends by the
# signal. No further input is begun. Where an input is waited for there is
# nothing to cancel. A second signal ends it at once, without "late". What
# SIGINT does not reach, as it is ignored, goes on.
# expect: INT ('deferred\nin a group\nlast\n', '', 130)
# expect: TERM ('deferred\nin a group\nlast\n', '', 143)
# expect: HUP ('deferred\nin a group\nlast\n', '', 129)
# expect: computes ('deferred\n', '', 143)
# expect: twice ('', '', 143)
# expect: waits ('', '', 143)
# expect: panics ('', True, 143)
# expect: file ('deferred\n', '', 143)
# expect: ignored ('deferred\n', '', 0)
# procs: 1,4
export PROCS=$2
PYTHONPATH=tests/cli/lib python3 << 'END'
import os, signal, subprocess
from program import Program, as_usual


class Repl(Program):
    def __init__(self, text, *options, before=as_usual):
        self.process = subprocess.Popen(
            [os.environ["CSPVM"], "--procs", os.environ.get("PROCS") or "2", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, preexec_fn=before)
        self.process.stdin.write('import "os"\n' + text + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.wait()  # while it may wait for more inputs
        return super().end()


READY = 'println("ready"); os.flush(); '
CLEANS = """
func f() { defer println("last"); group { go { defer println("in a group"); sleep(1h) } } }
func g() { defer f(); defer println("deferred"); %s sleep(1h) }
g()
println("never")
""" % READY
for name in "INT", "TERM", "HUP":
    p = Repl(CLEANS)
    p.expect("ready")
    p.send(name)
    print(name, p.end())

p = Repl('defer println("deferred"); %s for { }\nprintln("never")' % READY)
p.expect("ready")
p.send("TERM")
print("computes", p.end())

p = Repl('defer { defer println("late"); println("in"); os.flush(); sleep(1h) }; %s sleep(1h)' % READY)
p.expect("ready")
p.send("TERM")
p.expect("in")
p.send("TERM")
print("twice", p.end())

p = Repl(READY)
p.expect("ready")
p.send("TERM")
print("waits", p.end())

p = Repl('defer { panic("in cleaning up") }; %s sleep(1h)' % READY)
p.expect("ready")
p.send("TERM")
out, err, status = p.end()
print("panics", (out, "in cleaning up" in err, status))

path = os.environ["TMPDIR"] + "/a.csp"
with open(path, "w") as f:
    f.write('import "os"; defer println("deferred"); %s sleep(1h)' % READY)
p = Repl('println("never")', "-i", path)
p.expect("ready")
p.send("TERM")
print("file", p.end())


def deaf():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


p = Repl('defer println("deferred"); %s for !os.exists("go on") { sleep(1ms) }' % READY,
         before=lambda: (deaf(), os.chdir(os.environ["TMPDIR"])))
p.expect("ready")
p.send("INT")
open(os.environ["TMPDIR"] + "/go on", "w").close()
print("ignored", Program.end(p))  # with the end of the inputs
END
