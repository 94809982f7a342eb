# Clients can take all goroutines that there may be. A connection is closed
# then, and the server goes on.
# expect: 30 clients
# expect: answers nil
# expect stderr: net: a connection failed: too many goroutines: the limit is 8
"$CSPVM" --max-goroutines 8 tests/stdlib/net/lib/few_goroutines.csp net
