# Nothing runs the programs of bench/ from one day to the next, so one that the
# language has left was not seen: million_parked.csp had a `?` in a function
# that returned an int. Each compiles, without a warning.
# small: CSPDEBUG=
# expect: all compile
programs=$(find bench -name '*.csp' | sort)
[ "$(echo "$programs" | wc -l)" -gt 30 ] || echo "where are they?"
for program in $programs; do
  "$CSPVM" check "$program" || echo "$program does not compile"
done 2>&1
echo all compile
