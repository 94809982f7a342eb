# Whatever nginx passes on as one request, the server reads as the same one. The
# requests of the table go to nginx, which keeps its connections to the server.
# So a request that is read otherwise would also spoil those after it.
# expect: the same
# timeout: 60
# needs: nginx
PYTHONPATH=tests/stdlib/http/lib python3 -B - << 'END_OF_SCRIPT'
import json, socket, subprocess, time
from proxied import TMPDIR, ask_all, compare, end, lines_of, start_server

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

server, address = start_server()
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
    ask_all(port)
finally:
    end(nginx)
    end(server)
passed = []
with open(TMPDIR + "/log", encoding="latin-1") as file:
    for line in file:
        one = json.loads(line)
        if one["status"] == "200":
            target = one["target"].replace("?", "/?", 1) if one["target"][0] == "?" else one["target"]
            passed.append("%s %s %s" % (one["method"], target, one["body"].encode().hex()))
compare("nginx", passed, lines_of(server))
END_OF_SCRIPT
