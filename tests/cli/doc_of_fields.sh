# Fields, parameters and keys that paragraphs and tables tell of are found, too.
# (Only what stood in the list of a section's functions was.)
# expect:     `reply.status`, `reply.reason` and `reply.url` are fields. The URL, as
# expect:     `request.method`, `request.path` (as it was sent, without the query) and
# expect:     A WebSocket has these fields, which a script may read. `subprotocol` is
# expect:     An entry has the fields `name`, `kind` (`"file"`, `"folder"`, `"symlink"`,
# expect:     `takeover` | whether a message may refer to those before it. Else false
# expect:     `"read_only"` | the file system is mounted so | `os`
# expect:     `body_most`: what `bytes text json form` take | 413
# expect:       `%c` | a code point, as a character
# expect:       `xy`, `x|y` | x, then y; x, or else y
# expect: http.error(status, text, headers = nil)
# expect stderr: cspvm doc: the library has no `os.timeout`
for name in reply.status request.path ws.subprotocol entry.kind takeover; do
  "$CSPVM" doc "$name" | sed -n 2p
done
"$CSPVM" doc read_only | grep mounted
"$CSPVM" doc http.serve | grep body_most.*413
"$CSPVM" doc fmt | grep %c
"$CSPVM" doc regexp | grep -o ' *`xy`.*'
"$CSPVM" doc http.Failure | head -1
"$CSPVM" doc os.timeout
:
