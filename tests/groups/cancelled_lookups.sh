# The same as cancelled_waits.sh for lookups by the module dns. Answers that
# come too late are answered by ICMP, of which a system sends so many a second.
# Other tests wait for theirs. So this one has a network of its own.
# needs: unshare ip
# timeout: 60
# small: CSPDEBUG=
export TIMES=${TIMES:-100}
unshare -Urn bash -c 'ip link set lo up
  exec "$CSPVM" tests/soak/lib/waits_dns.csp "$TIMES" "$TMPDIR"'
# expect: dns lookup by udp
# expect: dns addresses by udp
# expect: dns lookup by tcp
# expect: dns addresses by tcp
# expect: dns lookup by both
# expect: dns addresses by both
