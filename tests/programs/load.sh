# The load generator of examples/ asks servers of Python, which count, too.
# expect: all asked: 400, as often as it was told: True
# expect: each tenth was busy: status 503: 40
# expect: half are quick, the slowest ones are not: True True
# expect: connections: 8
# expect: one that closes: status 200: 60, connections: 60
# expect: one that breaks off: closed: 20
# expect: nobody is there: refused: 20
python3 - << 'END'
import http.server, os, re, socket, subprocess, threading, time
SLOW = 0.2
lock = threading.Lock()
asked, connections = [], []

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        connections.append(self)

    def do_GET(self):
        with lock:
            asked.append(self.path)
            number = len(asked)
        if number % 20 == 7:
            time.sleep(SLOW)
        body = b"x" * 1000
        self.send_response(503 if number % 10 == 0 and self.path == "/page?a=b" else 200)
        self.send_header("content-length", str(len(body)))
        if self.path == "/close":
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

def load(port, path, clients, requests):
    asked.clear()
    connections.clear()
    return subprocess.run(
        [os.environ["CSPVM"], "examples/load.csp", "http://127.0.0.1:%d%s" % (port, path),
         str(clients), str(requests)], stdout=subprocess.PIPE, text=True, timeout=100).stdout

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
port = server.server_address[1]
threading.Thread(target=server.serve_forever, daemon=True).start()
out = load(port, "/page?a=b", 8, 400)
print("all asked: %d, as often as it was told: %s" % (
    asked.count("/page?a=b"), "400 answers in" in out and "status 200: 360" in out))
print("each tenth was busy:", re.search("status 503: .*", out).group())
within = {share: float(ms) for share, ms in re.findall(r"(\d+) % within ([\d.]+) ms", out)}
print("half are quick, the slowest ones are not:", within["50"] < SLOW * 1000, within["99"] >= SLOW * 1000)
print("connections:", len(connections))
out = load(port, "/close", 3, 60)
print("one that closes: %s, connections: %d" % (out.split("\n")[0], len(connections)))

rude = socket.create_server(("127.0.0.1", 0))
def break_off():
    while True:
        connection, _ = rude.accept()
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        connection.close()
threading.Thread(target=break_off, daemon=True).start()
print("one that breaks off:", load(rude.getsockname()[1], "/", 2, 20).split("\n")[0])
gone = socket.create_server(("127.0.0.1", 0))
port = gone.getsockname()[1]
gone.close()
print("nobody is there:", load(port, "/", 2, 20).split("\n")[0])
END
