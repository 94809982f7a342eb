# cspvm doc shows what docs/library.md says of functions.
# expect: s.split(sep = nil)
# expect:     a list of the parts between seps. `""` splits into characters. Without sep
# expect:     it does what `fields` does.
# expect: strings.join(parts, sep = "")
# expect:     the text of a list's elements, with sep between. `xs.join(sep)` is the
# expect:     same.
# expect: `m[k] ??= []`
# expect: os.read_line()
# expect: file.read_line()
# expect: maps.update(map, others...)
# expect: all sections
# expect: all functions
# expect: status 1
# expect: status 2
# expect stderr: cspvm doc: the library has no `strings.jion` (did you mean `strings.join`?)
# expect stderr: usage: cspvm doc
"$CSPVM" doc s.split
"$CSPVM" doc strings.join
"$CSPVM" doc map | tr -s " \n" " " | grep -oF "\`m[k] ??= []\`"
"$CSPVM" doc read_line | grep 'read_line()$'
"$CSPVM" doc maps | grep -o 'maps.update.*'
for section in $(sed -n 's/^## \([A-Za-z]*\).*/\1/p' docs/library.md); do
  "$CSPVM" doc "$(echo "$section" | tr A-Z a-z)" > "$TMPDIR/list" || exit
  "$CSPVM" doc | grep -q "^$section" || exit
done
echo all sections
# each signature of a list shows itself
for section in $(sed -n 's/^## \([A-Za-z]*\).*/\1/p' docs/library.md); do
  "$CSPVM" doc "$(echo "$section" | tr A-Z a-z)" | sed -n 's/^    \([a-z_.0-9]*(.*)\)$/\1/p'
done | sort -u > "$TMPDIR/signatures"
sed 's/(.*//; s/^/?/' "$TMPDIR/signatures" | "$CSPVM" > "$TMPDIR/shown"
grep -vxFf "$TMPDIR/shown" "$TMPDIR/signatures"
[ "$(wc -l < "$TMPDIR/signatures")" -gt 250 ] && echo all functions
"$CSPVM" doc strings.jion
echo "status $?"
"$CSPVM" doc --none
echo "status $?"
