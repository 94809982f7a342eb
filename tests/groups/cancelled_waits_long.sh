# The same as cancelled_waits.sh, 10,000 times for each place.
# long: a minute or two.
# once: it has many turns of its own.
# needs: redis-server python3 openssl
# timeout: 500
# small: CSPDEBUG=
. tests/soak/lib/waits.sh
run "${TIMES:-10000}" > output 2>&1 || cat output
tail -n 1 output
wc -l < output
# expect: redis subscribe
# expect: 43
