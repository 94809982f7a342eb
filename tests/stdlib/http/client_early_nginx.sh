# nginx refuses a body that is too long before it has read it, as the client is
# told by each way of sending one.
# needs: nginx
# expect: a long string: 413
# expect: pieces with a length: 413
# expect: pieces without one: 413
# expect: without an end: 413
# expect: short enough: 405
# timeout: 60
cd "$TMPDIR" || exit 1
cat > config << 'END'
daemon off; master_process off; pid pid; error_log errors;
events {}
http {
  access_log off; client_max_body_size 100k;
  client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c;
  uwsgi_temp_path d; scgi_temp_path e;
  server { listen 127.0.0.1:PORT; location / { return 405; } location /read { proxy_pass http://127.0.0.1:PORT/; } }
}
END
cat > script.csp << 'END'
import "http"
import "os"
at := os.args[0]
func show(what, body, length = nil) {
  reply, err := http.request("POST", at, body: body, length: length)
  println("${what}:", (if err != nil { err } else { reply.status }))
}
func pieces(n) {
  return func() {
    n--
    return if n < 0 { nil } else { "x".repeat(10_000) }
  }
}
show("a long string", "x".repeat(30_000_000))
show("pieces with a length", pieces(3_000), 30_000_000)
show("pieces without one", pieces(3_000))
show("without an end", pieces(1 << 40))
show("short enough", pieces(5))
END
for _ in 1 2 3 4 5; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  sed "s/PORT/$port/g" config > used
  nginx -p "$TMPDIR" -c "$TMPDIR/used" 2> messages &
  nginx=$!
  for _ in $(seq 200); do
    curl -s -o page "http://127.0.0.1:$port/" && break 2
    kill -0 $nginx 2> messages || break
    sleep 0.05
  done
done
"$CSPVM" script.csp "http://127.0.0.1:$port/read"
{
  kill $nginx
  wait $nginx
} 2> messages
