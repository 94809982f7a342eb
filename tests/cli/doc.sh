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
# expect stderr: cspvm doc: the library has no `append`
# expect stderr:     write `xs.push(v)`
# expect stderr:     write `b.push(piece)`
# expect stderr: cspvm doc: the library has no `s.strip`
# expect stderr:     write `s.trim()`
# expect stderr: cspvm doc: the library has no `os.getenv`
# expect stderr:     write `os.env(name)`
# expect stderr: cspvm doc: the library has no `getenv`
# expect stderr:     write `os.env(name)`
# expect stderr: cspvm doc: the library has no `re`
# expect stderr:     write `import "regexp"`
# expect stderr: cspvm doc: the library has no `None`
# expect stderr:     write `nil`
# expect stderr: cspvm doc: `for` is a keyword, which language.md explains
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
for name in append s.strip os.getenv getenv re None for; do "$CSPVM" doc $name || continue; done
