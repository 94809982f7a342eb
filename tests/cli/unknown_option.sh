# An unknown option is a usage error.
# expect exit: 2
# expect stderr: --no-such-option
exec "$CSPVM" --no-such-option
