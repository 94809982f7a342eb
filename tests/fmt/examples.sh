# The examples and the library are in the one style.
# expect: status 0
"$CSPVM" fmt --check examples stdlib
echo "status $?"
