# gzip and Python read what gzip.create writes, and the other way round.
# small: CSPDEBUG=gcstress=31
# timeout: 120
# expect: gzip reads it
# expect: python reads it
# expect: 500 10390
# expect: 500 10390
# expect: 1000 20780
# expect: cannot read cut.gz: the data ends too early, after 1000 bytes
cd "$TMPDIR" || exit
cat > write.csp << 'END'
import "gzip"
w := gzip.create("ours.gz")?
for i in 500 { w.write("line ${i} of the file\n")? }
w.close()?
END
cat > read.csp << 'END'
import "gzip"
import "os"
n, size := 0, 0
for line in gzip.lines(os.args[0])? {
  n++
  size += len(line) + 1
}
println(n, size)
END
"$CSPVM" write.csp
seq -f 'line %g of the file' 0 499 > plain
gzip -dc ours.gz | cmp - plain && echo 'gzip reads it'
python3 -c '
import gzip
assert gzip.open("ours.gz").read() == open("plain", "rb").read()
print("python reads it")
with gzip.open("theirs.gz", "wb", 1) as f: f.write(open("plain", "rb").read())'
gzip -9 -c plain > gnu.gz
cat gnu.gz theirs.gz > both.gz
for name in theirs gnu both; do "$CSPVM" read.csp $name.gz; done
head -c 1000 gnu.gz > cut.gz
"$CSPVM" read.csp cut.gz 2>&1 | sed -n 's/^panic: //p; s/^error: //p'
