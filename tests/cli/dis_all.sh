# dis can print every script of the tests and examples that compiles.
# expect: ok
# once: one thread, and the same each time
for file in examples/*.csp tests/values/*.csp tests/select/*.csp; do
  "$CSPVM" check "$file" > /dev/null 2>&1 || continue
  "$CSPVM" dis "$file" > /dev/null 2>&1 || echo "$file: status $?"
done
echo ok
