# SPDX-License-Identifier: MIT
"""What the tests with a foreign proxy before the server share: the requests of
the table, which go to the proxy one by one, and what the server has read."""
import os
import socket
import subprocess

CSPVM, TMPDIR = os.environ["CSPVM"], os.environ["TMPDIR"]

# The field X-Id is the proxy's, if it gives one. A line is what one request is.
SERVER = """
import "http"
import "net"
import "os"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
http.serve(listener, func(r) {
  data, err := r.text()
  if err != nil { return err }
  println(r.header("x-id") ?? "", r.method, r.target(), bytes(data).hex())
  os.flush()
  return "read"
})?
"""


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


def start_server():
    """The process, and its address, which is the first line that it prints."""
    path = TMPDIR + "/server.csp"
    with open(path, "w", encoding="ascii") as file:
        file.write(SERVER)
    server = subprocess.Popen([CSPVM, path], stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().strip()


def ask(port, data):
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.settimeout(2)
        try:
            s.sendall(data)
            while s.recv(65536):
                pass
        except OSError:
            pass


def ask_all(port):
    close = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    for data in read_cases():
        ask(port, data + close)


def end(process):
    process.terminate()
    process.wait(10)


def lines_of(server):
    return [line.rstrip("\n") for line in server.stdout]


def compare(proxy, passed, read):
    """Both are lists of texts, one a request."""
    wrong = [(a, b) for a, b in zip(passed, read) if a.strip() != b.strip()]
    for pair in wrong[:5]:
        print("%s passed %r, and the server read %r" % ((proxy,) + pair))
    if len(passed) != len(read) or len(read) < 100:
        print(proxy, "passed", len(passed), "requests, and the server read", len(read))
    elif not wrong:
        print("the same")
