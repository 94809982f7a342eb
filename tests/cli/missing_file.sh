# A script that is not there.
# expect exit: 2
# expect stderr: no_such_file.csp
exec "$CSPVM" no_such_file.csp
