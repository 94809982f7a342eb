# The same as cancelled_lookups.sh, 10,000 times for each place.
# long: up to a minute or two.
# needs: unshare ip
# once: it has many turns of its own.
# timeout: 500
# small: CSPDEBUG=
export TIMES=${TIMES:-10000}
. tests/groups/cancelled_lookups.sh
# expect: dns lookup by udp
# expect: dns addresses by udp
# expect: dns lookup by tcp
# expect: dns addresses by tcp
# expect: dns lookup by both
# expect: dns addresses by both
