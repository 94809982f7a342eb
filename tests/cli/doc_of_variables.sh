# A variable of a letter or two is looked up by its last name, and a name that
# only the text of an entry has by that text. (g was a generator alone.)
# expect: group.timeout(ns)
# expect: g.int(n)
# expect: http.error(status, text, headers = nil)
# expect: error(message, cause = nil, code = nil)
# expect: group.patience(ns)
# expect stderr: cspvm doc: the library has no `s.strip`
# expect stderr:     write `s.trim()`
# expect stderr: cspvm doc: the library has no `os.timeout`
for name in g.timeout g.int http.Failure e.code; do "$CSPVM" doc $name | head -1; done
echo "?g.patience" | "$CSPVM" | head -1
"$CSPVM" doc s.strip
"$CSPVM" doc os.timeout
:
