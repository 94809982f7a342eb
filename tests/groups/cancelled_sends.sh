# The same as cancelled_waits.sh for datagrams that wait for room. What waits in
# the end is thrown away. It would keep its network for a quarter of an hour,
# and answers by ICMP in there, which share a buffer with all other networks.
# needs: unshare ip tc
# timeout: 60
# small: CSPDEBUG=
cat > "$TMPDIR/inside.sh" << 'END'
ip link set lo up
tc qdisc add dev lo root tbf rate 1kbit burst 2000 limit 100000000
trap 'tc qdisc del dev lo root' EXIT
"$CSPVM" tests/soak/lib/waits_udp.csp "${TIMES:-100}" "$TMPDIR"
END
unshare -Urn bash "$TMPDIR/inside.sh"
# expect: net udp send that waits
