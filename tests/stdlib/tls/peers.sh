# Other programs at the other end: openssl, curl and Python, as a client and as
# a server, with TLS 1.2 and 1.3.
# expect: s_client: got HELLO
# expect: s_client 1.2: got HELLO
# expect: s_client 1.1: the other side has no version of TLS from 1.2 on
# expect: curl: hello from TLSv1.3 http/1.1 localhost
# expect: curl refuses: 60
# expect: python: TLSv1.3 h2 1000000 True
# expect: python 1.2: TLSv1.2 h2 1000000 True
# expect: python resumes: True True
# expect: python's server: TLSv1.3 HELLO nil
# expect: python's server 1.2: TLSv1.2 HELLO nil
# expect: s_server: TLSv1.3 olleh
# expect: s_server 1.2: TLSv1.2 olleh
# expect: no protocol: both sides have no protocol in common (ALPN)
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > server.csp << 'END'
import "net"
import "os"
import "tls"
config := tls.config("server.pem", "server.key", alpn: ["h2", "http/1.1"])?
listener := net.listen("127.0.0.1:0")?
os.write_file("port", listener.address().split(":").last())?
os.rename("port", "port.ready")?
listener.serve(func(c) {
  if err := tls.server(c, config); err != nil {
    os.write_file("error", err.message.split(": ").last())
    return
  }
  info := tls.info(c)
  line := c.read_line()?
  if line == nil { return }
  if line.has_prefix("GET ") {
    for line != "" { line = c.read_line()? ?? "" }
    body := "hello from ${info.version} ${info.alpn} ${info.server_name}\n"
    c.write("HTTP/1.1 200 OK\r\nContent-Length: ${len(body)}\r\nConnection: close\r\n\r\n", body)
  } else if line == "echo" {
    data := c.read_exact(1_000_000)?
    c.write(data)?
    c.write(str(info.resumed), "\n")?
  } else {
    c.write("got ", line.to_upper(), "\n")?
  }
  c.close()
})
END
cat > client.csp << 'END'
import "os"
import "tls"
c := tls.dial("localhost:${os.args[0]}", roots: "root.pem")?
c.write("hello\n")?
println(tls.info(c).version, c.read_line()?, c.read()?)
c.close()
END
"$CSPVM" server.csp & server=$!
until [ -e port.ready ]; do sleep 0.01; done
port=$(cat port.ready)
ask() { # ARGUMENT...
  { echo hello; sleep 0.3; } | openssl s_client -connect "localhost:$port" -CAfile root.pem -verify_return_error -quiet "$@" 2> /dev/null
}
echo "s_client: $(ask)"
echo "s_client 1.2: $(ask -tls1_2)"
ask -tls1_1 -cipher 'DEFAULT:@SECLEVEL=0'
echo "s_client 1.1: $(cat error)"
echo "curl: $(curl -s --http1.1 --cacert root.pem "https://localhost:$port/")"
curl -s "https://localhost:$port/"
echo "curl refuses: $?"
ask -alpn none > /dev/null
echo "no protocol: $(cat error)" > last
cat > client.py << 'END'
import socket, ssl, sys
port = int(sys.argv[1])
data = bytes(range(256)) * 3907
data = data[:1000000]

def ask(name, context, session=None):
    raw = socket.create_connection(("127.0.0.1", port))
    c = context.wrap_socket(raw, server_hostname="localhost", session=session)
    c.sendall(b"echo\n" + data)
    back = b""
    while True:
        more = c.recv(65536)
        if not more:
            break
        back += more
    if name:
        print(name, c.version(), c.selected_alpn_protocol(), len(data), back == data + b"false\n")
    return c.session, c.session_reused and back == data + b"true\n"

context = ssl.create_default_context(cafile="root.pem")
context.set_alpn_protocols(["spdy", "h2"])
session, _ = ask("python:", context)
_, resumed = ask("", context, session)
context.maximum_version = ssl.TLSVersion.TLSv1_2
session, _ = ask("python 1.2:", context)
_, resumed_old = ask("", context, session)
print("python resumes:", resumed, resumed_old)
END
python3 client.py "$port"
kill "$server"
wait "$server" 2> /dev/null
cat > server.py << 'END'
import os, socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("server.pem", "server.key")
if "1.2" in sys.argv:
    context.maximum_version = ssl.TLSVersion.TLSv1_2
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print("ACCEPT 127.0.0.1:%d" % listener.getsockname()[1], flush=True)
c = context.wrap_socket(listener.accept()[0], server_side=True)
c.sendall(c.recv(100).upper())
c.unwrap()
END
# with NAME PROGRAM...: the client, with the port that the server names.
with() {
  local name=$1
  shift
  rm -f out
  "$@" > out 2> /dev/null & server=$!
  until grep -qs ACCEPT out; do sleep 0.01; done
  echo "$name: $("$CSPVM" client.csp "$(sed -n 's/^ACCEPT.*://p' out)")"
  kill "$server" 2> /dev/null
  wait "$server" 2> /dev/null
}
with "python's server" python3 server.py
with "python's server 1.2" python3 server.py 1.2
s_server() { # ARGUMENT...
  exec openssl s_server -rev -accept 127.0.0.1:0 -cert server.pem -key server.key "$@"
}
sed -i 's/, c.read()?)/)/' client.csp
with s_server s_server
with 's_server 1.2' s_server -tls1_2
cat last
