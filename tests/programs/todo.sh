# The list of things to do of examples/, used by curl as by a browser, over two
# runs with one database, of which an older version made the first.
# needs: curl sqlite3
# expect: 2 changes of the schema
# expect: old
# expect: 303 /
# expect: <li> &lt;b&gt;&quot;&amp;ä
# expect: 400 <p role="alert">The title is empty.</p>
# expect: 404 <h1>Not Found</h1>
# expect: 403 <p>Forms of other sites are not taken.</p>
# expect: {"error":"there is no item 99"} 404
# expect: {"error":"the body must be a JSON object"} 400
# expect: {"error":"there is no /api/nothing"} 404
# expect: true 201 /api/items/3
# expect: <s>from a program</s>
# expect: 204
# expect: 200 added at once, and 200 are there
# expect: 0 changes of the schema
# expect: 202
# expect: error: the database is of version 7, which this program does not know
export http_proxy=
db=$TMPDIR/todo.db
sqlite3 "$db" "create table items(id integer primary key, title text not null, done boolean not null default 0);
  insert into items(title) values('old'); pragma user_version = 1"
serve() {
  : > "$TMPDIR/at"
  "$CSPVM" examples/todo.csp 127.0.0.1:0 "$db" > "$TMPDIR/at" 2> "$TMPDIR/errors" &
  server=$!
  until grep -q http "$TMPDIR/at" || ! kill -0 $server 2> "$TMPDIR/none"; do sleep 0.02; done
  at=$(grep http "$TMPDIR/at")
}
end() { { kill $server; wait $server; } 2> "$TMPDIR/none"; }
trap end EXIT
# Prints the status, and those lines of the page that have this in them.
look() { curl -s -w '%{http_code}\n' "${@:2}" > "$TMPDIR/page"; echo "$(tail -n 1 "$TMPDIR/page") $(grep "$1" "$TMPDIR/page" | sed 's/^ *//')"; }
fields() { tr -d '\r' < "$TMPDIR/head" | sed -n 's/^location: //p'; }

serve
head -n 1 "$TMPDIR/at"
curl -s "$at/" | grep -o old
echo "$(curl -s -o "$TMPDIR/none" -D "$TMPDIR/head" -w '%{http_code}' --data-urlencode 'title=<b>"&ä' "$at/items")" "$(fields)"
curl -s "$at/" | grep -A 1 '<li>' | tr -s ' \n' ' ' | grep -o '<li> &lt.*ä'
look '<p role' -d 'title=+' "$at/items"
look '<h1>' -d 'action=tick' "$at/items/99"
look '<p>Forms' -H 'Sec-Fetch-Site: cross-site' -d 'title=x' "$at/items"
curl -s -w ' %{http_code}\n' -X PUT -d '{"done": true}' "$at/api/items/99"
curl -s -w ' %{http_code}\n' -d '[1]' "$at/api/items"
curl -s -w ' %{http_code}\n' "$at/api/nothing"
made=$(curl -s -D "$TMPDIR/head" -w ' %{http_code}' -d '{"title": "from a program"}' "$at/api/items")
echo "$(curl -s -X PUT -d '{"done": true}' "$at$(fields)" | grep -o 'true')" "${made##* }" "$(fields)"
curl -s "$at/" | grep -o '<s>.*</s>'
curl -s -o "$TMPDIR/none" -w '%{http_code}\n' -X DELETE "$at/api/items/1"
curl -sZ --no-progress-meter --parallel-max 10 -o "$TMPDIR/none" -d '{"title": "item"}' "$at/api/items?[1-200]"
echo "200 added at once, and $(curl -s "$at/api/items" | tr '{' '\n' | grep -c '"title":"item"') are there"
end

serve
head -n 1 "$TMPDIR/at"
curl -s "$at/api/items" | tr '{' '\n' | grep -c '"title"'
end
sqlite3 "$db" 'pragma user_version = 7'
serve
head -n 1 "$TMPDIR/errors"
trap - EXIT
