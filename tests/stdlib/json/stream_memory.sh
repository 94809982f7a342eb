# json.stream reads a file of 50 times the memory, or of 16 if it is to be
# short, whatever part of it is wanted. Hostile texts without end are errors.
# expect: elements 0 nil
# expect: passed over 0 nil
# expect: values 0 json: line 1, column 1: the value has more than 100000 bytes (the argument `most`)
# expect: blanks 0 json: line 1, column 20000001: the text ends where a value should stand
# expect: a string 0 json: line 1, column 1: the value has more than 4000000 bytes (the argument `most`)
# expect: a key 0 json: line 1, column 2: the value has more than 4000000 bytes (the argument `most`)
# expect: a number 0 json: line 1, column 6: the value has more than 4000000 bytes (the argument `most`)
# expect: lists 0 json: line 1, column 513: nested more than 512 deep
# expect: an element 0 json: line 1, column 4: the value has more than 4000000 bytes (the argument `most`)
# expect: keys 0 true
# timeout: 120
# short: SIZE=300000
# small: SIZE=1000
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
name, path, most := os.args[0], os.args[1], int(os.args[2])
n, last := int(os.args[3]), nil
// `n` is how many are missing.
for (value, err) in json.stream(os.stdin, path: (if path == "nil" { nil } else { path }), most: most) {
  if err != nil { last = err } else { n-- }
}
println(name, n, (if name == "keys" { last.message.contains("take more than 400000 bytes") } else { last }))
P
SIZE=${SIZE-900000}
tried() { "$CSPVM" --max-memory "$1" "$TMPDIR/main.csp" "$2" "$3" "$4" "${5-0}"; }
endless() { printf '%s' "$1" && yes "$2" | tr -d '\n' | head -c 20000000; }
{ echo '{"items": ['
  yes '{"id": 123456, "name": "some name", "tags": ["a", "b"], "price": 12.5, "text": "some text that makes it longer"},' |
    head -n "$SIZE"
  echo '{}], "last": [1]}'; } > "$TMPDIR/large.json"
[ "$(wc -c < "$TMPDIR/large.json")" -ge $((SIZE * 100)) ] || echo "the file is too small"
tried 2 elements items 100000 $((SIZE + 1)) < "$TMPDIR/large.json"
tried 2 "passed over" last 100000 1 < "$TMPDIR/large.json"
tried 2 values nil 100000 < "$TMPDIR/large.json"
endless '' ' ' | tried 2 blanks '' 4000000
endless '"' 'é' | tried 32 "a string" nil 4000000
endless '{"' 'a' | tried 32 "a key" a 4000000
endless '{"a":' '1' | tried 32 "a number" b 4000000
endless '' '[' | tried 32 lists a 4000000
endless '[1,{"a":[' '[],' | tried 32 "an element" '' 4000000 1
{ printf '{' && seq -f '"key %.0f":[],' 1 200000; } | tried 32 keys a 400000
