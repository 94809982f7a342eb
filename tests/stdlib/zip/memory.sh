# Hostile archives in little memory: an error or a panic that tells, no more.
# (50 MB of zeros become 50 KB in gzip.)
# expect: gunzip out of memory: the limit is 32 MB
# expect: gunzip most limit
# expect: gzip out of memory: the limit is 32 MB
# expect: gzip lines out of memory: the limit is 32 MB
# expect: gzip ratio limit
# expect: gzip most limit
# expect: tar out of memory: the limit is 32 MB
# expect: tar most limit
# expect: tar out limit
# expect: tar name limit
# expect: tar entries limit
# expect: zip out of memory: the limit is 32 MB
# expect: zip ratio limit
# expect: zip most limit
# expect: zip out limit
# expect: zip entries fine
# expect: zip too many limit
# small: CSPDEBUG=
# once: one thread, and the same each time
# timeout: 90
cat > "$TMPDIR/make.py" <<'P'
import gzip, io, tarfile, zipfile
piece = bytes(1 << 20)
def zeros(file):
    for _ in range(50): file.write(piece)
with gzip.open("zeros.gz", "wb", 6) as f: zeros(f)
def header(kind=tarfile.REGTYPE):
    entry = tarfile.TarInfo("zeros")
    entry.size, entry.type = 50 << 20, kind
    return entry.tobuf()
with gzip.open("zeros.tar.gz", "wb", 6) as f:
    f.write(header())
    zeros(f)
    f.write(bytes(1024))
with gzip.open("name.tar.gz", "wb", 6) as f:
    f.write(header(tarfile.XHDTYPE))
    zeros(f)
with gzip.open("many.tar.gz", "wb", 6) as f:
    for i in range(20000): f.write(tarfile.TarInfo("a/%d" % i).tobuf())
    f.write(bytes(1024))
with zipfile.ZipFile("zeros.zip", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("zeros", "w") as f: zeros(f)
with zipfile.ZipFile("many.zip", "w") as z:
    for i in range(20000): z.writestr("a/long/name/of/a/folder/%d" % i, "")
P
cat > "$TMPDIR/main.csp" <<'P'
import "gzip"
import "os"
import "sched"
import "tar"
import "zip"
import "zlib"
func tried(name, f) {
  sched.gc()
  _, err := try(f)
  short := err != nil && err.code in ["limit", "invalid"]
  println(name, (if short { err.code } else { err ?? "fine" }))
}
data := os.read_file("zeros.gz")?
tried("gunzip", func() => zlib.gunzip(data, 1 << 30))
tried("gunzip most", func() => zlib.gunzip(data, 1 << 20))
tried("gzip", func() => gzip.open("zeros.gz")?.read_all())
tried("gzip lines", func() {
  for line in gzip.lines("zeros.gz")? { println(len(line)) }
})
tried("gzip ratio", func() => gzip.open("zeros.gz", ratio: 100)?.read_all())
tried("gzip most", func() => gzip.open("zeros.gz", most: 1 << 20)?.read_all())
func first_of(path) => tar.reader(gzip.open(path)?).next()
tried("tar", func() => first_of("zeros.tar.gz")?.read_all(1 << 30))
tried("tar most", func() => first_of("zeros.tar.gz")?.read_all(1 << 20))
tried("tar out", func() => tar.extract(gzip.open("zeros.tar.gz")?, "out", most: 1 << 20))
tried("tar name", func() => first_of("name.tar.gz"))
tried("tar entries", func() => tar.extract(gzip.open("many.tar.gz")?, "out", entries: 1000))
archive := zip.open("zeros.zip", ratio: 100_000)?
tried("zip", func() => archive.find("zeros").read_all(1 << 30))
tried("zip ratio", func() => zip.open("zeros.zip")?.find("zeros").read_all(1 << 30))
tried("zip most", func() => archive.find("zeros").read_all(1 << 20))
tried("zip out", func() => zip.extract("zeros.zip", "out", most: 1 << 20))
tried("zip entries", func() => zip.open("many.zip"))
tried("zip too many", func() => zip.open("many.zip", entries: 1000))
P
cd "$TMPDIR" || exit
python3 make.py
"$CSPVM" --max-memory 32 main.csp
