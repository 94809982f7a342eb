# The same as cancelled_queries.sh, 10,000 times for each place.
# long: up to a minute or two.
# once: it has many turns of its own.
# needs: /usr/lib/postgresql/15/bin/postgres setpriv
# timeout: 500
# small: CSPDEBUG=
export TIMES=${TIMES:-10000}
. tests/groups/cancelled_queries.sh
# expect: postgres connect
# expect: postgres query
# expect: postgres transaction
# expect: postgres listen
