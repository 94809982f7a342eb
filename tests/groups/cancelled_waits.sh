# Goroutines are cancelled at each place where the network, servers and
# databases make them wait, before they wait and meanwhile. That leaves nothing,
# and what they used still works. cancelled_waits_long.sh does so 10,000 times.
# needs: redis-server python3 openssl
# timeout: 100
# small: CSPDEBUG=
. tests/soak/lib/waits.sh
run "${TIMES:-100}" > output 2>&1 || cat output
tail -n 1 output
wc -l < output
# expect: redis subscribe
# expect: 43
