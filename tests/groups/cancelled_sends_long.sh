# The same as cancelled_sends.sh, 10,000 times for each place.
# long: up to a minute or two.
# once: it has many turns of its own.
# needs: unshare ip tc
# timeout: 500
# small: CSPDEBUG=
export TIMES=${TIMES:-10000}
. tests/groups/cancelled_sends.sh
# expect: net udp send that waits
