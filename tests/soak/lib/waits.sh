# SPDX-License-Identifier: MIT
# Sourced by the tests of cancelled waits. It makes in $TMPDIR what waits.csp
# wants, and runs it so many times. What it has made ends with the test.
waits=$PWD/tests/soak/lib/waits.csp
redis=$PWD/tests/stdlib/redis/lib/server.sh
full=$PWD/tests/stdlib/net/lib/full.py
. tests/stdlib/tls/lib/certs.sh
. "$redis"
start || exit 1
# A listener that lets nobody in.
python3 "$full" > full.new &
full_pid=$!
disown
trap 'stop; kill $full_pid' EXIT
until [ -s full.new ]; do sleep 0.02; done
mv full.new full
# run TIMES [WORD...]
run() { "$CSPVM" "$waits" "$1" "$TMPDIR" "${@:2}"; }
