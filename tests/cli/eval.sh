# -e runs code from the command line.
# expect: 3
exec "$CSPVM" -e 'println(1 + 2)'
