# The same as cancelled_waits.sh for datagrams that wait for room.
# needs: unshare ip tc
# timeout: 60
# small: CSPDEBUG=
cat > "$TMPDIR/inside.sh" << 'END'
ip link set lo up
tc qdisc add dev lo root tbf rate 1kbit burst 2000 limit 100000000
"$CSPVM" tests/soak/lib/waits_udp.csp "${TIMES:-100}" "$TMPDIR"
END
unshare -Urn bash "$TMPDIR/inside.sh"
# expect: net udp send that waits
