# The last input may lack its newline; what a script reads from standard input
# begins after the input that reads. Nothing went wrong: status 0.
# expect: 1
# expect: "two"
# expect: 3
printf 'import "os"\n1\nos.stdin.read_line()?\ntwo' | "$CSPVM" &&
  printf '1 +\n2' | "$CSPVM" && "$CSPVM" < /dev/null
