# Whatever nginx passes on as one request, the server reads as the same one. The
# requests of the table go to nginx, which keeps its connections to the server.
# So a request that is read otherwise would also spoil those after it.
# expect: the same
# timeout: 60
# needs: nginx
cat > "$TMPDIR/server.csp" << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
http.serve(listener, func(r) {
  data, err := r.text()
  if err != nil { return err }
  query := if r._query == nil { "" } else { "?" + r._query }
  println(r.method, r.path + query, bytes(data).hex())
  os.flush()
  return "read"
})?
END_OF_SCRIPT
python3 - << 'END_OF_SCRIPT'
import json, os, socket, subprocess, time
CSPVM, TMPDIR = os.environ["CSPVM"], os.environ["TMPDIR"]

def plain(text):
    out, at = b"", 0
    escapes = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\"}
    while at < len(text):
        if text[at] == "{":
            end = text.index("}", at)
            piece, times = text[at + 1:end].rsplit("*", 1)
            out += plain(piece) * int(times)
            at = end + 1
        elif text[at] == "\\" and text[at + 1] == "x":
            out += bytes([int(text[at + 2:at + 4], 16)])
            at += 4
        elif text[at] == "\\":
            out += escapes[text[at + 1]]
            at += 2
        else:
            out += text[at].encode()
            at += 1
    return out

def read_cases():
    cases = []
    with open("tests/stdlib/http/data/requests.txt", encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith(">"):
                text = line[2:]
                is_open = text.endswith("\\") and not text.endswith("\\\\")
                cases[-1] += plain(text[:-1]) if is_open else plain(text) + b"\r\n"
            elif line and not line.startswith(("#", "=")):
                cases.append(b"")
    return cases

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

CONFIG = """daemon off; master_process off; pid DIR/pid; error_log DIR/errors;
events {}
http {
  log_format all escape=json '{"method": "$request_method", "target": "$request_uri",'
    '"body": "$request_body", "status": "$upstream_status"}';
  access_log DIR/log all;
  client_body_temp_path DIR/a; proxy_temp_path DIR/b; fastcgi_temp_path DIR/c;
  uwsgi_temp_path DIR/d; scgi_temp_path DIR/e;
  client_body_timeout 1s; client_header_timeout 1s;
  large_client_header_buffers 8 48k; ignore_invalid_headers off;
  upstream server { server ADDRESS; keepalive 1; }
  server {
    listen 127.0.0.1:PORT;
    location / {
      proxy_pass http://server; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_pass_request_headers on;
    }
  }
}
"""

def ask(port, data):
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.settimeout(2)
        try:
            s.sendall(data)
            while s.recv(65536):
                pass
        except OSError:
            pass

server = subprocess.Popen([CSPVM, TMPDIR + "/server.csp"], stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().strip()
port = free_port()
config = CONFIG.replace("DIR", TMPDIR).replace("ADDRESS", address).replace("PORT", str(port))
with open(TMPDIR + "/config", "w", encoding="ascii") as file:
    file.write(config)
nginx = subprocess.Popen(["nginx", "-p", TMPDIR, "-c", TMPDIR + "/config"],
                         stderr=subprocess.DEVNULL)
try:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.02)
    close = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    for data in read_cases():
        ask(port, data + close)
finally:
    nginx.terminate()
    nginx.wait(10)
    server.terminate()
passed = []
with open(TMPDIR + "/log", encoding="latin-1") as file:
    for line in file:
        one = json.loads(line)
        if one["status"] == "200":
            target = one["target"].replace("?", "/?", 1) if one["target"][0] == "?" else one["target"]
            passed.append("%s %s %s" % (one["method"], target, one["body"].encode().hex()))
read = [line.rstrip("\n") for line in server.stdout]
wrong = [(a, b) for a, b in zip(passed, read) if a.strip() != b.strip()]
for pair in wrong[:5]:
    print("nginx passed %r, and the server read %r" % pair)
if len(passed) != len(read) or len(read) < 100:
    print("nginx passed", len(passed), "requests, and the server read", len(read))
elif not wrong:
    print("the same")
END_OF_SCRIPT
