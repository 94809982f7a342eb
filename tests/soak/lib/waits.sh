# SPDX-License-Identifier: MIT
# Sourced by the tests of cancelled waits. It makes in $TMPDIR what waits.csp
# wants, and runs it so many times. What it has made ends with the test.
waits=$PWD/tests/soak/lib/waits.csp
redis=$PWD/tests/stdlib/redis/lib/server.sh
. tests/stdlib/tls/lib/certs.sh
. "$redis"
start || exit 1
# A listener that lets nobody in, as its queue is full.
python3 - > full.new << 'END' &
import socket, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
waiting = []
for _ in range(4):
    waiting.append(socket.socket())
    waiting[-1].setblocking(False)
    waiting[-1].connect_ex(listener.getsockname())
print("127.0.0.1:%d" % listener.getsockname()[1], end="", flush=True)
time.sleep(3600)
END
full_pid=$!
disown
trap 'stop; kill $full_pid' EXIT
until [ -s full.new ]; do sleep 0.02; done
mv full.new full
# run TIMES [WORD...]
run() { "$CSPVM" "$waits" "$1" "$TMPDIR" "${@:2}"; }
