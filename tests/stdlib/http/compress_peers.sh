# curl reads what the server compresses, and the client what nginx does. nginx
# tells, too, whether an Accept-Encoding is one of gzip, and that ETags become
# weak.
# needs: curl nginx
# expect: curl: text 4400, pieces 36, file 4400, large 440000
# expect: curl resumes: 206 400
# expect: 304 304 200
# expect: nginx: 4400 nil W/ true
# expect: both agree on 13 fields
# timeout: 60
cd "$TMPDIR" || exit 1
mkdir files
for _ in $(seq 100); do echo "All work and no play makes Jack a dull boy."; done > files/text.txt
for _ in $(seq 100); do cat files/text.txt; done > files/large.txt
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
import "zlib"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
text := os.read_file("files/text.txt")?
http.serve(listener, http.routes({
  "GET /text": func(r) => text,
  "GET /pieces": func(r) {
    n := 0
    return func() {
      n++
      return if n > 4 { nil } else { "piece ${n}, " }
    }
  },
  "GET /files/{path...}": http.files("files"),
}), compress: true)?
END_OF_SCRIPT
"$CSPVM" server.csp > address 2> errors &
server=$!
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
user=
[ "$(id -u)" = 0 ] && user='user root;'  # another user cannot read the folder
cat > nginx.conf << END_OF_CONF
$user
daemon off; pid $TMPDIR/nginx.pid; error_log $TMPDIR/nginx_errors; worker_processes 1;
events { worker_connections 64; }
http {
  access_log off; gzip on; gzip_min_length 100; gzip_vary on; default_type text/html;
  client_body_temp_path $TMPDIR/a; proxy_temp_path $TMPDIR/b; fastcgi_temp_path $TMPDIR/c;
  uwsgi_temp_path $TMPDIR/d; scgi_temp_path $TMPDIR/e;
  server { listen 127.0.0.1:$port; root $TMPDIR/files; }
}
END_OF_CONF
nginx -c "$TMPDIR/nginx.conf" -e "$TMPDIR/nginx_errors" 2> /dev/null &
nginx=$!
trap '{ kill $server $nginx; wait; } 2> /dev/null' EXIT
for _ in $(seq 500); do [ -s address ] && curl -s -o /dev/null "127.0.0.1:$port/text.txt" && break; sleep 0.02; done
at=$(head -1 address)
get() { curl -sS -m 20 --compressed "$@"; }
echo "curl: text $(get "$at/text" | wc -c), pieces $(get "$at/pieces" | wc -c)," \
  "file $(get "$at/files/text.txt" | wc -c), large $(get "$at/files/large.txt" | wc -c)"
echo "curl resumes: $(get -C 4000 -o rest -w '%{http_code}' "$at/files/text.txt") $(wc -c < rest)"
tag() { get -o /dev/null -D - "$@" "$at/files/text.txt" | tr -d '\r' | sed -n 's/^etag: //Ip'; }
weak=$(tag)
strong=$(tag -H 'Accept-Encoding: identity')
[ "$weak" = "W/$strong" ] || echo "the tags are $weak and $strong"
status() { get -o /dev/null -w '%{http_code}' -H "If-None-Match: $1" "$at/files/text.txt"; }
echo "$(status "$weak") $(status "$strong") $(status 'W/"x"')"
cat > client.csp << 'END_OF_SCRIPT'
import "http"
import "os"
import "zlib"
[ours, theirs] := os.args
r := http.get("http://${theirs}/text.txt")?
println("nginx:", len(r.text()?), r.header("content-encoding"), r.header("etag")[:2], r.header("vary") == "Accept-Encoding")
fields := ["gzip", "gzip, br", "br,gzip;q=1", "deflate, gzip;q=1.0", "gzip;q=0", "gzip;q=0.0", "gzip;q=0.5", "*;q=0", "br",
  "identity", "gzip2", "gzip;q=0.000", "agzip"]
agree := 0
func coding(at, field) {
  r, _ := http.get("http://" + at, {"accept-encoding": field})
  return r.header("content-encoding")
}
for field in fields {
  a, b := coding(ours + "/files/text.txt", field), coding(theirs + "/text.txt", field)
  if a == b { agree++ } else { println([field], "ours:", a, "nginx:", b) }
}
println("both agree on ${agree} fields")
END_OF_SCRIPT
"$CSPVM" client.csp "$at" "127.0.0.1:$port"
cat errors
