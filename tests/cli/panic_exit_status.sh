# Status 1 for a panic, an error and a deadlock; 2 for a compile error.
# expect: 1 1 1 2 0
for code in 'panic("x")' 'func f() { return error("x") }
f()?' '<-chan()' 'x :=' 'x := 1'; do
  "$CSPVM" -e "$code" > /dev/null 2>&1
  printf '%s ' $?
done | sed 's/ $//'
