# Whatever haproxy passes on as one request, the server reads as the same one.
# The requests of the table go to haproxy, which keeps its connections to the
# server. So a request that is read otherwise would also spoil those after it.
# haproxy is asked once as it is, and once to let pass what it would refuse.
# expect: strict: the same
# expect: lax: the same
# timeout: 60
# small: CSPDEBUG=
# needs: haproxy
PYTHONPATH=tests/stdlib/http/lib python3 -B - << 'END_OF_SCRIPT'
import re, signal, socket, subprocess
from proxied import TMPDIR, ask_all, compare, end, lines_of, start_server

# Bodies are kept whole, so that the log can have them.
CONFIG = """global
  log stdout len 60000 format raw local0
  tune.bufsize 200000
defaults
  mode http
  log global
  timeout client 1s
  timeout server 9s
  timeout connect 9s
  timeout http-request 1s
  timeout http-keep-alive 1s
  http-reuse always
  OPTION
frontend clients
  bind fd@SOCKET
  unique-id-format %rt
  unique-id-header X-Id
  http-request wait-for-body time 1s at-least 100000
  http-request set-var(txn.body) req.body,hex
  http-response set-var(txn.status) status
  log-format "%[var(txn.status)] %ID %HM %HU %[var(txn.body)]"
  default_backend servers
backend servers
  server one ADDRESS
"""

def read_behind(option):
    server, address = start_server()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.fileno()
        config = CONFIG.replace("SOCKET", str(number)).replace("ADDRESS", address).replace("OPTION", option)
        with open(TMPDIR + "/config", "w", encoding="ascii") as file:
            file.write(config)
        with open(TMPDIR + "/log", "w", encoding="ascii") as log:
            haproxy = subprocess.Popen(["haproxy", "-db", "-f", TMPDIR + "/config"], stdout=log,
                                       stderr=subprocess.DEVNULL, pass_fds=[number])
        port = listener.getsockname()[1]
    try:
        ask_all(port)
    finally:
        haproxy.send_signal(signal.SIGUSR1)  # it ends when it has written its log
        haproxy.wait(20)
        end(server)
    return lines_of(server)

def as_read(line):
    """What the server says of the request of a line of haproxy's log, and the status that the server gave."""
    status, number, method, target, body = line.rstrip("\n").split(" ")
    if target.lower().startswith("http://"):  # the server gives what follows the host
        target = "/" + target[7:].partition("/")[2]
    return "%s %s %s %s" % (number, method, target, "" if body == "-" else body.lower()), status

IS_REQUEST = re.compile(r"(\d+|-) \d+ \S+ \S+ \S+\n$")
for name, option in [("strict", ""), ("lax", "option accept-invalid-http-request")]:
    read = read_behind(option)
    with open(TMPDIR + "/log", encoding="latin-1") as file:
        passed = dict(as_read(line) for line in file if IS_REQUEST.match(line))
    # haproxy may give up what the server reads and answers.
    answered = [text for text, status in passed.items() if status == "200" or text in read]
    print(name + ": ", end="")
    compare("haproxy", sorted(answered), sorted(read))
END_OF_SCRIPT
