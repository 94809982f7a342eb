# The same as cancelled_waits.sh for lookups by the module dns.
# timeout: 60
# small: CSPDEBUG=
"$CSPVM" tests/soak/lib/waits_dns.csp "${TIMES:-100}" "$TMPDIR"
# expect: dns lookup by udp
# expect: dns addresses by udp
# expect: dns lookup by tcp
# expect: dns addresses by tcp
# expect: dns lookup by both
# expect: dns addresses by both
