# A directory is no script.
# expect exit: 2
# expect stderr: tests
exec "$CSPVM" tests
