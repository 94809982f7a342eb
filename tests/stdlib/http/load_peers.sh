# The load generators ab, h2load and hey get an answer to each request, on
# connections that are kept, without and with a body.
# needs: ab h2load hey
# expect: ab -k: 4000 complete, 0 failed, 4000 kept
# expect: ab -k -p: 2000 complete, 0 failed, 2000 kept
# expect: ab: 500 complete, 0 failed, no connection kept
# expect: h2load: 4000 succeeded, 0 failed, 0 errored, 0 timeout; 4000 2xx
# expect: h2load -d: 2000 succeeded, 0 failed, 0 errored, 0 timeout; 2000 2xx
# expect: hey: 4000 of 200
# expect: hey -m POST: 2000 of 200
# expect: hey without keep-alive: 500 of 200
# expect: hey -q: 300 of 200
# timeout: 60
# small: CSPDEBUG=
cd "$TMPDIR" || exit 1
cat > server.csp << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
http.serve(listener, http.routes({
  "GET /": func(r) => "text",
  "POST /": func(r) {
    data := r.bytes()?
    return "${len(data)}", nil
  },
}))?
END_OF_SCRIPT
"$CSPVM" server.csp > address 2> errors &
server=$!
trap 'kill $server' EXIT
until [ -s address ]; do sleep 0.01; done
at="http://$(cat address)/"
head -c 30000 /dev/zero > data

# ab NAME OPTION...
asked_by_ab() {
  local name=$1
  shift
  ab -q -s 100 "$@" "$at" > out 2>&1
  awk -v name="$name" '
    /^Complete requests:/ { complete = $3 }
    /^Failed requests:/ { failed = $3 }
    /^Non-2xx/ { failed += $3 }
    /^Keep-Alive requests:/ { kept = $3 }
    END { print name ": " complete " complete, " failed " failed, " (kept ? kept : "no connection") " kept" }' out
}

# h2load NAME OPTION...
asked_by_h2load() {
  local name=$1
  shift
  h2load --h1 "$@" "$at" > out 2>&1
  awk -v name="$name" '
    /^requests:/ { answers = $8 " succeeded, " $10 " failed, " $12 " errored, " $14 " timeout" }
    /^status codes:/ { status = $3 " 2xx" }
    END { print name ": " answers "; " status }' out
}

# hey NAME OPTION...
asked_by_hey() {
  local name=$1
  shift
  hey "$@" "$at" > out 2>&1
  awk -v name="$name" '
    /responses$/ { answers = answers " " $2 " of " substr($1, 2, 3) }
    /^Error distribution/ { answers = answers " and errors" }
    END { print name ":" answers }' out
}

asked_by_ab "ab -k" -k -n 4000 -c 32
asked_by_ab "ab -k -p" -k -n 2000 -c 16 -p data -T application/octet-stream
asked_by_ab "ab" -n 500 -c 16
asked_by_h2load "h2load" -n 4000 -c 32
asked_by_h2load "h2load -d" -n 2000 -c 16 -m 4 -d data
asked_by_hey "hey" -n 4000 -c 32
asked_by_hey "hey -m POST" -n 2000 -c 16 -m POST -D data
asked_by_hey "hey without keep-alive" -n 500 -c 10 -disable-keepalive
asked_by_hey "hey -q" -n 300 -c 10 -q 100
cat errors
