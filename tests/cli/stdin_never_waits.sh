# Standard input that never waits, as some parents make it: what comes late is
# read, too.
# expect: REPL: status 0, b'1\n2\n'
# expect: script: status 0, b'1\n2\n'
python3 - "$CSPVM" << 'END'
import os, subprocess, sys, time

def run(name, *arguments):
    read, write = os.pipe()
    os.set_blocking(read, False)
    child = subprocess.Popen([sys.argv[1], *arguments], stdin=read,
                             stdout=subprocess.PIPE)
    os.close(read)
    for line in (b"println(1)\n", b"println(2)\n"):
        time.sleep(0.3)  # it has found nothing meanwhile
        try:
            os.write(write, line)
        except BrokenPipeError:
            pass
    os.close(write)
    print(f"{name}: status {child.wait()}, {child.stdout.read()}")

run("REPL")
run("script", "-")
END
