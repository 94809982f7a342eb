# json.lines reads a file of 12 times the memory, or of 4 if it is to be short.
# One line is no more than the memory. Another is an error or a panic that
# tells.
# expect: maps 0 nil
# expect: structs 0 nil
# expect: blank lines 0 nil
# expect: a line without end 0 out of memory: the limit is 8 MB
# timeout: 120
# short: SIZE=300000
# small: SIZE=1000 BYTES=9000000
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "json"
import "os"
struct Item { id, name, tags, price, text }
name, n, last := os.args[0], int(os.args[1]), nil
// `n` is how many are missing.
_, panicked := try(func() {
  for (value, err) in json.lines(os.stdin, (if name == "structs" { Item } else { nil })) {
    if err != nil { last = err } else { n-- }
  }
})
println(name, n, panicked ?? last)
P
SIZE=${SIZE-900000}
BYTES=${BYTES-20000000}
tried() { "$CSPVM" --max-memory "$1" "$TMPDIR/main.csp" "$2" "$3"; }
yes '{"id": 123456, "name": "some name", "tags": ["a", "b"], "price": 12.5, "text": "some text that makes it longer"}' |
  head -n "$SIZE" > "$TMPDIR/large.json"
[ "$(wc -c < "$TMPDIR/large.json")" -ge $((SIZE * 100)) ] || echo "the file is too small"
tried 8 maps "$SIZE" < "$TMPDIR/large.json"
tried 8 structs "$SIZE" < "$TMPDIR/large.json"
yes "" | head -n $((SIZE * 20)) | tried 4 "blank lines" 0
yes '"endless",' | tr -d '\n' | head -c "$BYTES" | tried 8 "a line without end" 0
