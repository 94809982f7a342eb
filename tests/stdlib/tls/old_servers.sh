# A client refuses a server that speaks nothing above TLS 1.1, and a server such
# a client, also where OpenSSL's own settings allow the old versions.
# needs: openssl
# expect: 1.2: nil
# expect: 1.1: tls
# expect: 1: tls
# expect: insecure 1.1: tls
# expect: a client of 1.1: tls the other side has no version of TLS from 1.2 on
# timeout: 60
. tests/stdlib/tls/lib/certs.sh
cat > old.cnf << 'END'
openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = old
[old]
MinProtocol = TLSv1
CipherString = ALL:@SECLEVEL=0
END
export OPENSSL_CONF=$PWD/old.cnf
cat > client.csp << 'END'
import "os"
import "tls"
[name, port, insecure] := os.args
c, err := tls.dial("localhost:${port}", roots: "root.pem", insecure: insecure == "yes")
if err == nil { c.close() }
println("${name}:", (if err == nil { nil } else { err.code }))
END
# against NAME INSECURE ARGUMENT...: the client and a server of openssl.
against() {
  rm -f out
  openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key -rev \
    "${@:3}" > out 2> /dev/null < /dev/null & server=$!
  until grep -qs ACCEPT out; do sleep 0.01; done
  "$CSPVM" client.csp "$1" "$(sed -n 's/^ACCEPT.*://p' out)" "$2"
  { kill "$server"; wait "$server"; } 2> /dev/null
}
against 1.2 no -tls1_2
against 1.1 no -tls1_1
against 1 no -tls1
against 'insecure 1.1' yes -tls1_1
cat > server.csp << 'END'
import "net"
import "os"
import "tls"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
err := tls.server(listener.accept()?, config)
println("a client of 1.1:", (if err == nil { nil } else { "${err.code} " + err.message.split(": ").last() }))
END
"$CSPVM" server.csp > told & server=$!
until [ -s told ]; do sleep 0.01; done
openssl s_client -connect "$(head -n 1 told)" -tls1_1 > out 2>&1 < /dev/null
wait "$server"
tail -n 1 told
