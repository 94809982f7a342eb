# - reads the script from standard input.
# expect: from stdin
echo 'println("from stdin")' | "$CSPVM" -
