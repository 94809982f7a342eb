# A prompt is seen though other goroutines compute on all cores: before a read
# that waits for a terminal, and after os.flush.
# expect: read_line: name? Ann
# expect: stdin.read: name? Ann
# expect: flush: working
cat > "$TMPDIR/prompt.py" <<'P'
import os, pty, sys
name, code, wanted, answer = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(os.environ["CSPVM"], ["cspvm", "--procs", "1", "-e", code])
said = b""
while wanted.encode() not in said:
    said += os.read(terminal, 100)
shown = said.decode()
if answer:
    os.write(terminal, answer.encode() + b"\n")
    said = b""
    while b"hello" not in said:
        said += os.read(terminal, 100)
    shown += said.decode().split("hello ")[1].strip()
os.kill(pid, 9)
print("%s: %s" % (name, shown))
P
begin='import "os"
go { for { } }
'
python3 "$TMPDIR/prompt.py" read_line "$begin
print(\"name? \")
name := os.read_line()?
println(\"hello\", name)
for { }" "name? " Ann
python3 "$TMPDIR/prompt.py" stdin.read "$begin
print(\"name? \")
name := os.stdin.read(3)?
println(\"hello\", name)
for { }" "name? " Ann
python3 "$TMPDIR/prompt.py" flush "$begin
print(\"working\")
os.flush()
for { }" working ""
