# examples/csvjoin.csp joins files that are larger than its memory. Python's csv
# makes them, and says what comes out.
# expect: ['id', 'name', 'n', 'text'] True
# expect: there is no column `no`
# timeout: 60
# small: SIZE=50
# once: the same each time
cat > "$TMPDIR/tables.py" <<'P'
import csv, random, sys
folder, count = sys.argv[1], int(sys.argv[2])
random.seed(count)
def write(name, header, make):
    with open(folder + name, "w", newline="") as f:
        csv.writer(f).writerows([header] + [make(i) for i in range(count)])
def read(name):
    return csv.DictReader(open(folder + name, newline=""))
if sys.argv[3] == "make":
    write("/left.csv", ["id", "name"], lambda i: [i, "name, %d of\nmany" % i])
    write("/right.csv", ["n", "id", "text"], lambda i: [i, random.randrange(2 * count), 'some "text" %d' % i])
else:
    left = {row["id"]: row["name"] for row in read("/left.csv")}
    wanted = [[r["id"], left[r["id"]], r["n"], r["text"]] for r in read("/right.csv") if r["id"] in left]
    header, *got = csv.reader(open(folder + "/joined.csv", newline=""))
    print(header, sorted(got) == sorted(wanted) and len(got) > 0)
P
SIZE=${SIZE-150000}
python3 "$TMPDIR/tables.py" "$TMPDIR" "$SIZE" make
"$CSPVM" --max-memory 4 examples/csvjoin.csp id "$TMPDIR/left.csv" "$TMPDIR/right.csv" > "$TMPDIR/joined.csv"
python3 "$TMPDIR/tables.py" "$TMPDIR" "$SIZE" compare
"$CSPVM" examples/csvjoin.csp no "$TMPDIR/left.csv" "$TMPDIR/right.csv" 2>&1 | sed -n '1s/.*\(there is no column `no`\).*/\1/p'
