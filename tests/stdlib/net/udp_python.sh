# Sockets of Python at the other end: as a server, as a client, and with a
# broadcast, over both kinds of addresses.
# expect: 127.0.0.1 asks: HELLO 0 65507 nil
# expect: ::1 asks: HELLO 0 65507 nil
# expect: 127.0.0.1 is answered: hello 0 65507
# expect: ::1 is answered: hello 0 65507
# expect: a broadcast comes: True
cat > "$TMPDIR/client.csp" << 'END'
import "net"
import "os"
client := net.udp(os.args[1])?
client.stall(20s)
func ask(data) {
  client.send_to(os.args[0], data)?
  data, from, err := client.receive()
  if from != os.args[0] { return nil, error("from ${from}") }
  return data, err
}
hello, empty, long := ask("hello")?, ask("")?, ask("x".repeat(65_507))?
println(hello, len(empty), len(long), client.send_to(os.args[0], "end"))
END
cat > "$TMPDIR/server.csp" << 'END'
import "net"
import "os"
server := net.udp(":0")?
server.stall(20s)
println(server.address().split(":").last())
os.flush()
for {
  data, from := server.receive()?
  if data == "end" { break }
  server.send_to(from, bytes(data))?
}
END
python3 - << 'END'
import os, socket, subprocess, sys
CSPVM, TMPDIR = os.environ["CSPVM"], os.environ["TMPDIR"]

def shown(host, port):
    return ("[%s]:%d" if ":" in host else "%s:%d") % (host, port)

def kind(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET

for host in "127.0.0.1", "::1":
    server = socket.socket(kind(host), socket.SOCK_DGRAM)
    server.settimeout(20)
    server.bind((host, 0))
    client = subprocess.Popen([CSPVM, TMPDIR + "/client.csp", shown(*server.getsockname()[:2]),
                               shown(host, 0)], stdout=subprocess.PIPE, text=True)
    while True:
        data, source = server.recvfrom(70000)
        if data == b"end":
            break
        server.sendto(data.upper() if len(data) < 10 else data, source)
    print(host, "asks:", client.communicate(timeout=20)[0].strip())

server = subprocess.Popen([CSPVM, TMPDIR + "/server.csp"], stdout=subprocess.PIPE, text=True)
port = int(server.stdout.readline())
for host in "127.0.0.1", "::1":
    client = socket.socket(kind(host), socket.SOCK_DGRAM)
    client.settimeout(20)
    answers = []
    for data in b"hello", b"", b"x" * 65507:
        client.sendto(data, (host, port))
        answers.append(client.recvfrom(70000)[0])
    print(host, "is answered:", answers[0].decode(), len(answers[1]), len(answers[2]))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.settimeout(20)
sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
sender.sendto(b"all", ("127.255.255.255", port))
print("a broadcast comes:", sender.recvfrom(100)[0] == b"all")
sender.sendto(b"end", ("127.0.0.1", port))
sys.exit(server.wait(20))
END
