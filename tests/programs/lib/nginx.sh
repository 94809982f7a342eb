# nginx at 127.0.0.1:$port, until `nginx_stop`. What `nginx_start` reads is the
# inside of its block `server`. $TMPDIR/root is its folder, and $TMPDIR/log has
# a line of method, host, URI and status for each request.
nginx_start() {
  mkdir -p "$TMPDIR/root"
  cat > "$TMPDIR/inside"
  for _ in $(seq 20); do
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat > "$TMPDIR/nginx.conf" << END
daemon off; master_process off; pid $TMPDIR/pid; error_log $TMPDIR/errors;
events { worker_connections 1000; }
http {
  types { text/html html; text/css css; image/png png; }
  log_format short '\$request_method \$host \$request_uri \$status';
  access_log $TMPDIR/log short;
  client_body_temp_path $TMPDIR/t; proxy_temp_path $TMPDIR/t; fastcgi_temp_path $TMPDIR/t;
  uwsgi_temp_path $TMPDIR/t; scgi_temp_path $TMPDIR/t;
  server {
    listen 127.0.0.1:$port;
    root $TMPDIR/root;
    charset utf-8;
    absolute_redirect off;
    keepalive_requests 100000;
    location = /is-it-this-one { return 200 "$TMPDIR"; }
$(cat "$TMPDIR/inside")
  }
}
END
    nginx -p "$TMPDIR" -c "$TMPDIR/nginx.conf" 2> "$TMPDIR/why" &
    nginx_pid=$!
    disown
    while kill -0 $nginx_pid 2> "$TMPDIR/none"; do
      [ "$(curl -s --noproxy '*' "http://127.0.0.1:$port/is-it-this-one")" = "$TMPDIR" ] && return
      sleep 0.02
    done
  done
  cat "$TMPDIR/why"
  return 1
}
# The log, also of the last request: nginx has written it before it answers the
# next one.
nginx_log() { curl -s --noproxy '*' -o "$TMPDIR/none" "http://127.0.0.1:$port/is-it-this-one"; cat "$TMPDIR/log"; }
nginx_stop() { { kill $nginx_pid; wait $nginx_pid; } 2> "$TMPDIR/none"; }
