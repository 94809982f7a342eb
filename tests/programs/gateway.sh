# The gateway of examples/, between curl and nginx, and before servers that die
# in the middle of an answer, never answer, or are not there.
# expect: a page: 200 3000000 True, its length: True, its ETag: True
# expect: a part of it: 206 True
# expect: HEAD: 200 3000000
# expect: not modified: 304
# expect: a redirect is handed on: 302 /page
# expect: what nginx sees: 10.0.0.1, 127.0.0.1|example.org|example.org|http|close||||kept|a=1; b=2|/see?x=%20y&z
# expect: what browsers send unescaped: 200 True
# expect: what has no path: OPTIONS * HTTP/1.1
# expect: an upload with a length: 201 True
# expect: an upload in chunks: 201 True
# expect: both get requests: True
# expect: one is dead, GET: {'200'} POST: {'200'}
# expect: it is back: True
# expect: dies in the middle: 200 True
# expect: dies in a chunk: 200 True
# expect: one dies at once, GET: 200 200 200 200 POST: 200 200 502 502, it had: 4
# expect: never answers: 504 <h1>504 Gateway Timeout</h1>, in time: True
# expect: nobody is there: 502 <h1>502 Bad Gateway</h1>
# expect: the client leaves, and the server notices: True
# expect: the client leaves, and a server that hangs notices: before the answer True, within it True
# expect: the client dies within its upload, and the server notices: True
# expect: the end waits for what is under way: True, and then: 0
# expect: the log has: True
# expect stderr: http: the body of GET / failed: the connection ended within the body
# expect stderr: http: the body of GET / failed: the connection ended within the body
# needs: nginx curl
# timeout: 60
# small: CSPDEBUG=
cat > "$TMPDIR/test.py" << 'END'
import os, re, signal, socket, subprocess, threading, time
CSPVM, TMPDIR = os.environ["CSPVM"], os.environ["TMPDIR"]
HERE = "127.0.0.1"
os.chdir(os.environ["REPOSITORY"])
page = os.urandom(3_000_000)
os.makedirs(TMPDIR + "/root/put")
with open(TMPDIR + "/root/page", "wb") as file:
    file.write(page)
running = []

CONFIG = """daemon off; master_process off; pid DIR/pid.NAME; error_log DIR/errors.NAME;
events {}
http {
  access_log off; client_max_body_size 0;
  client_body_temp_path DIR/root/put/t; proxy_temp_path DIR/b; fastcgi_temp_path DIR/c;
  uwsgi_temp_path DIR/d; scgi_temp_path DIR/e;
  server {
    listen 127.0.0.1:PORT;
    root DIR/root;
    location = / { return 200 "NAME\\n"; }
    location = /name { return 200 "NAME\\n"; }
    location = /moved { absolute_redirect off; return 302 /page; }
    location /see {
      return 200 "$http_x_forwarded_for|$host|$http_x_forwarded_host|$http_x_forwarded_proto|\
$http_x_close|$http_x_hop|$http_te|$http_keep_alive|$http_x_kept|$http_cookie|$request_uri";
    }
    location /put/ { dav_methods PUT; create_full_put_path on; }
    location = /slow { alias DIR/root/page; limit_rate 3m; }
  }
}
"""

def free_port():
    with socket.socket() as s:
        s.bind((HERE, 0))
        return s.getsockname()[1]

def until(ready):
    end = time.monotonic() + 40
    while not ready() and time.monotonic() < end:
        time.sleep(0.01)
    return ready()

def is_there(name, port):
    try:
        with socket.create_connection((HERE, port), 5) as s:
            s.sendall(b"GET /name HTTP/1.0\r\n\r\n")
            with s.makefile("rb") as answer:
                return answer.read().endswith(name.encode() + b"\n")
    except OSError:
        return False

def start_nginx(name, wanted=None):
    """The process and its port. Another program may have taken the free port meanwhile."""
    for _ in range(20):
        port = wanted or free_port()
        process = nginx_at(name, port)
        if until(lambda at=port, p=process: p.poll() is not None or is_there(name, at)) and process.poll() is None:
            running.append(process)
            return process, port
        time.sleep(0.1)
    raise RuntimeError("nginx does not start")

def nginx_at(name, port):
    config = CONFIG.replace("DIR", TMPDIR).replace("NAME", name).replace("PORT", str(port))
    path = "%s/config.%s" % (TMPDIR, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(config)
    return subprocess.Popen(["nginx", "-p", TMPDIR, "-c", path], stderr=subprocess.DEVNULL)

class Gateway:
    def __init__(self, limit, *ports):
        self.path = "%s/log.%d" % (TMPDIR, len(running))
        at = ["http://%s:%d" % (HERE, port) for port in ports]
        with open(self.path, "w", encoding="ascii") as log:
            self.process = subprocess.Popen([CSPVM, "examples/gateway.csp", HERE + ":0", limit] + at, stdout=log)
        running.append(self.process)
        until(lambda: "\n" in self.log())
        self.at = self.log().split()[2]

    def log(self):
        with open(self.path, encoding="ascii") as file:
            return file.read()

    def curl(self, path, *options):
        """(exit status, status of HTTP, fields, body) of what curl says"""
        command = ["curl", "-sS", "--noproxy", "*", "-m", "50", "-D", TMPDIR + "/head", self.at + path[1:]]
        done = subprocess.run(command + list(options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        with open(TMPDIR + "/head", encoding="latin-1", newline="") as file:
            head = [part for part in file.read().split("\r\n\r\n") if " 100 " not in part][0]
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:])
        return done.returncode, head.split(" ")[1], fields, done.stdout

class Server:
    """Calls `answer(connection, head)` for each request but those of checks."""
    def __init__(self, answer):
        self.listener = socket.create_server((HERE, 0))
        self.port = self.listener.getsockname()[1]
        self.answer, self.heard = answer, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(65536)
            if not piece:
                return connection.close()
            head += piece
        if head.startswith(b"HEAD / "):
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        else:
            self.heard += 1
            self.answer(connection, head)
        connection.close()

def port_of(gate):
    return int(gate.at.split(":")[2][:-1])

def main():
    (first, port), (_, other) = start_nginx("one"), start_nginx("two")
    ports = [port, other]
    gate = Gateway("20s", *ports)
    _, status, fields, body = gate.curl("/page")
    print("a page: %s %d %s, its length: %s, its ETag: %s" % (
        status, len(body), body == page, fields.get("content-length") == "3000000", "etag" in fields))
    etag = fields["etag"]
    _, status, _, body = gate.curl("/page", "-r", "1000-1999")
    print("a part of it:", status, body == page[1000:2000])
    _, status, fields, _ = gate.curl("/page", "-I")
    print("HEAD:", status, fields.get("content-length"))
    print("not modified:", gate.curl("/page", "-H", "If-None-Match: " + etag)[1])
    _, status, fields, _ = gate.curl("/moved")
    print("a redirect is handed on:", status, fields["location"])
    fields = ["X-Forwarded-For: 10.0.0.1", "Host: example.org", "Connection: close, X-Hop", "X-Hop: 1", "TE: trailers",
              "Keep-Alive: 5", "X-Kept: kept", "X-Close: close", "Cookie: a=1; b=2"]
    _, _, _, body = gate.curl("/see?x=%20y&z", *[word for field in fields for word in ("-H", field)])
    print("what nginx sees:", body.decode())

    odd = "/see?a=[1]{2}|^`%zz\\\"<>"
    _, status, _, body = gate.curl(odd, "-g")
    print("what browsers send unescaped:", status, body.decode().split("|", 10)[10] == odd)

    first_line = []
    def tells(connection, head):
        first_line.append(head.split(b"\r\n")[0].decode())
        connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    Gateway("20s", Server(tells).port).curl("/", "-X", "OPTIONS", "--request-target", "*")
    print("what has no path:", *first_line)

    def is_put(name):
        with open(TMPDIR + "/root/put/" + name, "rb") as file:
            return file.read() == page
    sent = ["-T", TMPDIR + "/root/page"]
    print("an upload with a length:", gate.curl("/put/a", *sent)[1], is_put("a"))
    chunked = sent + ["-H", "Transfer-Encoding: chunked"]
    print("an upload in chunks:", gate.curl("/put/b", *chunked)[1], is_put("b"))

    def names(count):
        return {gate.curl("/name")[3].decode().strip() for _ in range(count)}
    print("both get requests:", until(lambda: names(4) == {"one", "two"}))
    first.terminate()
    first.wait(20)
    got = {gate.curl("/name")[1] for _ in range(8)}
    posted = {gate.curl("/name", "-d", "x")[1] for _ in range(8)}
    print("one is dead, GET: %s POST: %s" % (got, posted))
    start_nginx("one", ports[0])
    print("it is back:", until(lambda: names(4) == {"one", "two"}))

    def dies(length, text):
        def answer(connection, _):
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + length + b"\r\n\r\n" + text)
        code, status, _, _ = Gateway("20s", Server(answer).port).curl("/")
        return "%s %s" % (status, code in (18, 56))  # curl has not got all
    print("dies in the middle:", dies(b"Content-Length: 8", b"half"))
    print("dies in a chunk:", dies(b"Transfer-Encoding: chunked", b"4\r\nhalf\r\n8\r\nno"))
    dies_at_once = Server(lambda connection, head: None)
    one_dies = Gateway("20s", dies_at_once.port, ports[1])
    got = [one_dies.curl("/name")[1] for _ in range(4)]
    posted = [one_dies.curl("/name", "-d", "x")[1] for _ in range(4)]
    print("one dies at once, GET: %s POST: %s, it had: %d" % (
        " ".join(got), " ".join(sorted(posted)), dies_at_once.heard))
    begun, stop = time.monotonic(), threading.Event()
    _, status, _, body = Gateway("500ms", Server(lambda connection, head: stop.wait(40)).port).curl("/")
    print("never answers: %s %s, in time: %s" % (status, body.decode().strip(), time.monotonic() - begun < 30))
    stop.set()
    bound = socket.socket()  # and does not listen
    bound.bind((HERE, 0))
    _, status, _, body = Gateway("20s", bound.getsockname()[1]).curl("/")
    print("nobody is there: %s %s" % (status, body.decode().strip()))

    noticed = threading.Event()
    def endless(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                connection.sendall(b"4\r\nmore\r\n" * 1000)
        except OSError:
            noticed.set()
    with socket.create_connection((HERE, port_of(Gateway("20s", Server(endless).port)))) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        client.recv(1000)
    print("the client leaves, and the server notices:", noticed.wait(40))

    # The limit is far away, so it is not what ends these.
    def hangs(text):
        asked = threading.Event()
        noticed.clear()
        def answer(connection, _):
            connection.sendall(text)
            asked.set()
            if connection.recv(1) == b"":
                noticed.set()
        with socket.create_connection((HERE, port_of(Gateway("600s", Server(answer).port)))) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            asked.wait(40)
            if text:
                client.recv(1000)
        return noticed.wait(15)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"
    print("the client leaves, and a server that hangs notices: before the answer %s, within it %s" % (
        hangs(b""), hangs(head)))
    noticed.clear()
    def reads(connection, _):
        while connection.recv(65536):
            pass
        noticed.set()
    with socket.create_connection((HERE, port_of(Gateway("60s", Server(reads).port)))) as client:
        client.sendall(b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
    print("the client dies within its upload, and the server notices:", noticed.wait(40))

    with socket.create_connection((HERE, port_of(gate)), 40) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        begun = client.recv(1000)
        gate.process.send_signal(signal.SIGTERM)
        with client.makefile("rb") as rest:
            body = (begun + rest.read()).split(b"\r\n\r\n", 1)[1]
    print("the end waits for what is under way: %s, and then: %d" % (body == page, gate.process.wait(40)))
    line = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d 127\.0\.0\.1:\d+ PUT \"/put/a\" 201 \d+ us$", re.M)
    print("the log has:", line.search(gate.log()) is not None)

try:
    main()
finally:
    for process in running:
        if process.poll() is None:
            process.terminate()
            process.wait(20)
END
REPOSITORY=$PWD python3 "$TMPDIR/test.py"
