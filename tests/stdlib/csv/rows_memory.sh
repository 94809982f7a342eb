# csv.rows reads a file of 50 times the memory, or of 16 if it is to be short.
# Hostile texts without end are errors.
# expect: lists 0 nil
# expect: maps 0 nil
# expect: blank lines 0 nil
# expect: comments 0 nil
# expect: a comment 0 nil
# expect: a cell 0 limit csv: line 1, column 1: the row has more than 4000000 bytes (the argument `most`)
# expect: a cell in quotes 0 limit csv: line 3, column 1: the row has more than 4000000 bytes (the argument `most`)
# expect: quotes 0 limit csv: line 1, column 1: the row has more than 4000000 bytes (the argument `most`)
# expect: cells 0 limit csv: line 1, column 1: the row has more than 1048576 cells
# timeout: 120
# short: SIZE=300000
# small: SIZE=1000 BYTES=5000000
# once: one thread, and the same each time
cat > "$TMPDIR/main.csp" <<'P'
import "csv"
import "os"
name, header, n, last := os.args[0], os.args[1] == "true", int(os.args[2]), nil
// `n` is how many are missing.
for (row, err) in csv.rows(os.stdin, header: header, comment: "#", most: 4000000) {
  if err != nil { last = err } else { n-- }
}
println(name, n, (if last == nil { "nil" } else { "${last.code} ${last}" }))
P
SIZE=${SIZE-900000}
BYTES=${BYTES-20000000}
tried() { "$CSPVM" --max-memory "$1" "$TMPDIR/main.csp" "$2" "$3" "$4"; }
endless() { printf '%b' "$1" && yes "$2" | tr -d '\n' | head -c "$BYTES"; }
{ echo 'id,name,price,tags,text'
  yes '123456,some name,12.5,"a, b","some ""text"" of
more than one line, which makes the row longer than it would be without"' | head -n $((2 * SIZE)); } > "$TMPDIR/large.csv"
[ "$(wc -c < "$TMPDIR/large.csv")" -ge $((SIZE * 100)) ] || echo "the file is too small"
tried 2 lists false $((SIZE + 1)) < "$TMPDIR/large.csv"
tried 2 maps true "$SIZE" < "$TMPDIR/large.csv"
yes '' | head -c "$BYTES" | tried 2 "blank lines" false 0
yes '# a comment' | head -c "$BYTES" | tried 2 comments false 0
endless '#' ',a,"' | tried 2 "a comment" false 0
endless '' 'a' | tried 16 "a cell" false 0
endless '#\n\n"' 'é' | tried 16 "a cell in quotes" false 0
endless '' '"' | tried 16 quotes false 0
endless '' ',' | tried 64 cells false 0
