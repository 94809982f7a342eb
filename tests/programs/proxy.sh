# The proxy of examples/, between curl or sockets of Python and a server of
# Python.
# expect: curl gets the page as it is: yes
# expect: the client ends first: b'HELLO'
# expect: the server ends first: b'hello', then it gets b'and this, too'
# expect: one direction moves all the time: 8
# expect: nothing moves: b'', after the limit: True
# expect: nobody is there: b''
# expect: all is closed: True
# expect stderr: cannot read from
# expect stderr: Connection refused
cd "$TMPDIR" || exit 1
head -c 3000000 /dev/urandom > page
python3 - "$OLDPWD/examples/proxy.csp" << 'END'
import functools, http.server, os, socket, subprocess, sys, threading, time
LIMIT = 1.0
HERE = "127.0.0.1"
proxies = []

def listener():
    server = socket.create_server((HERE, 0))
    return server, server.getsockname()[1]

def proxy(port, limit):
    process = subprocess.Popen([os.environ["CSPVM"], sys.argv[1], HERE + ":0", "%s:%d" % (HERE, port),
                                limit], stdout=subprocess.PIPE, text=True)
    proxies.append(process)
    return int(process.stdout.readline().split(" to ")[0].rsplit(":", 1)[1])

def pair(server, port):
    client = socket.create_connection((HERE, port), 20)
    accepted, _ = server.accept()
    accepted.settimeout(20)
    return client, accepted

def all_of(connection):
    pieces = []
    while True:
        piece = connection.recv(65536)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)

class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

web = http.server.ThreadingHTTPServer((HERE, 0), functools.partial(Quiet, directory="."))
threading.Thread(target=web.serve_forever, daemon=True).start()
door = proxy(web.server_address[1], "20s")
subprocess.run(["curl", "-sS", "--noproxy", "*", "-o", "got", "http://%s:%d/page" % (HERE, door)],
               check=True)
same = open("page", "rb").read() == open("got", "rb").read()
print("curl gets the page as it is:", "yes" if same else "no")

server, port = listener()
door = proxy(port, "20s")
client, accepted = pair(server, door)
client.sendall(b"hello")
client.shutdown(socket.SHUT_WR)
accepted.sendall(all_of(accepted).upper())
accepted.close()
print("the client ends first:", all_of(client))
client.close()

client, accepted = pair(server, door)
accepted.sendall(b"hello")
accepted.shutdown(socket.SHUT_WR)
first = all_of(client)
client.sendall(b"and this, ")
time.sleep(0.01)
client.sendall(b"too")
client.close()
print("the server ends first: %s, then it gets %s" % (first, all_of(accepted)))
accepted.close()

# Longer than the limit, but something comes all the time.
door = proxy(port, "%dms" % (LIMIT * 1000))
client, accepted = pair(server, door)
for i in range(8):
    time.sleep(LIMIT / 5)
    accepted.sendall(b"x")
accepted.close()
print("one direction moves all the time:", len(all_of(client)))
client.close()
client, accepted = pair(server, door)
begun = time.monotonic()
got = all_of(client)
print("nothing moves: %s, after the limit: %s" % (got, time.monotonic() - begun >= LIMIT * 0.9))
accepted.close()
server.close()

client = socket.create_connection((HERE, door), 20)
print("nobody is there:", all_of(client))
client.close()

# Only the socket that listens is left, of each proxy.
def sockets(process):
    folder = "/proc/%d/fd/" % process.pid
    return sum(os.readlink(folder + fd).startswith("socket:") for fd in os.listdir(folder))

until = time.monotonic() + 20
while any(sockets(process) > 1 for process in proxies) and time.monotonic() < until:
    time.sleep(0.01)
print("all is closed:", [sockets(process) for process in proxies] == [1, 1, 1])
for process in proxies:
    process.terminate()
    process.wait(20)
END
