# Each connection that a server cannot serve is told, by a number where there
# are many. It was only the first one, as long as the server ran.
# expect: http tells of all
# expect: net tells of all
cd "$TMPDIR" || exit 1
for module in http net; do
  refused=$("$CSPVM" --max-goroutines 8 \
    "$OLDPWD/tests/stdlib/net/lib/refused_connections.csp" $module 2> told)
  # "a connection failed: ..." or "9 more connections failed: ..."
  told=$(awk '/connections? failed: too many goroutines/ {
    sum += $2 == "a" ? 1 : $2 } END { print sum + 0 }' told)
  if [ "$refused" -gt 2 ] && [ "$refused" -eq "$told" ]; then
    echo "$module tells of all"
  else
    echo "$module tells of $told, and has refused $refused"
    cat told
  fi
done
