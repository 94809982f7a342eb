# The chat of examples/: sockets of Python talk to each other. One that reads
# nothing loses lines, and holds nobody up.
# expect: Your name?
# expect: * here: ann
# expect: * bob comes
# expect: refused: Somebody has that name.
# expect: refused: A name has letters and digits.
# expect: ann: hello
# expect: * slow comes
# expect: bob heard all lines: True
# expect: the slow one lost lines, and saw the last one: True True
# expect: * bob leaves
# expect: ended: True
# small: SIZE=400
python3 - << 'END'
import os, signal, socket, subprocess
BURST = 40  # fewer than the server keeps for each
count = int(os.environ.get("SIZE", "12000"))

server = subprocess.Popen([os.environ["CSPVM"], "examples/chat.csp", "127.0.0.1:0"],
                          stdout=subprocess.PIPE, text=True)
port = int(server.stdout.readline().rsplit(":", 1)[1])

class Client:
    def __init__(self, name, room=None):
        self.socket = socket.socket()
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(60)
        self.socket.connect(("127.0.0.1", port))
        self.input = self.socket.makefile("r", encoding="utf-8")
        self.question = self.read()
        self.say(name)

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def read(self):
        return self.input.readline().strip()

    def close(self):
        self.input.close()
        self.socket.close()

ann = Client("ann")
print(ann.question)
print(ann.read())
bob = Client("bob")
bob.read()
print(ann.read())
for name in "ann", "a\x1b[2J":
    print("refused:", Client(name).read())
ann.say("hello")
print(bob.read())

slow = Client("slow", room=1 << 18)
print(bob.read())
ann.read()
wanted = ["ann: %d %s" % (i, "x" * 900) for i in range(count)]
heard = []
for i in range(0, count, BURST):
    for line in wanted[i:i + BURST]:
        ann.say(line.removeprefix("ann: "))
    heard += [bob.read() for _ in wanted[i:i + BURST]]
print("bob heard all lines:", heard == wanted)
bob.close()
seen = []
while not seen or not seen[-1].endswith("bob leaves"):
    seen.append(slow.read())
lost = len(seen) < count or count < 12000
print("the slow one lost lines, and saw the last one:", lost, wanted[-1] in seen)
print(ann.read())
server.send_signal(signal.SIGTERM)
print("ended:", server.wait(20) == -signal.SIGTERM)
END
