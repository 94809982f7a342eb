# The notes of examples/, asked by curl.
# expect: 201 /notes/1
# expect: {"text":"a ä <b>","done":false}
# expect: 204
# expect: [{"text":"a ä <b>","done":true}]
# expect: <li><s>a ä &lt;b&gt;</s>
# expect: there is no note 2 404
# expect: the body is no such JSON: json: line 1, column 2: the text ends where a key in quotes should stand 400
# expect: the body is no such JSON: json: $.text: a string should stand here, not int 400
# expect: the body is no such JSON: json: $.done: a bool should stand here, not string 400
# expect: there is no /nothing 404
# expect: the page: 200
# expect: 100 created at once, and 100 are there
export http_proxy=
"$CSPVM" examples/notes.csp 127.0.0.1:0 > "$TMPDIR/at" &
server=$!
trap 'kill $server' EXIT
until [ -s "$TMPDIR/at" ]; do sleep 0.02; done
at=$(cat "$TMPDIR/at")
curl -s -o /dev/null -w '%{http_code} ' -D "$TMPDIR/head" -d '{"text": "a \u00e4 <b>"}' "$at/notes"
tr -d '\r' < "$TMPDIR/head" | sed -n 's/^location: //p'
curl -s "$at/notes/1"; echo
curl -s -w '%{http_code}\n' -X PUT "$at/notes/1/done"
curl -s "$at/notes"; echo
curl -s "$at/" | grep '<li>'
curl -s -w '%{http_code}\n' "$at/notes/2" | paste -s -d ' '
curl -s -d '{' -w '%{http_code}\n' "$at/notes" | paste -s -d ' '
curl -s -d '{"text": 5}' -w '%{http_code}\n' "$at/notes" | paste -s -d ' '
curl -s -d '{"text": "a", "done": "no"}' -w '%{http_code}\n' "$at/notes" | paste -s -d ' '
curl -s -w '%{http_code}\n' "$at/nothing" | paste -s -d ' '
seq 100 | xargs -P 10 -I '{}' curl -s -d '{"text": "{}"}' "$at/notes"
curl -s -o /dev/null -w 'the page: %{http_code}\n' "$at/"
count=$(curl -s "$at/notes" | tr '{' '\n' | grep -c '"done":false')
echo "100 created at once, and $count are there"
