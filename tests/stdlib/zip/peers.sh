# timeout: 120
# zip, unzip and Python read what the module writes, and the other way round:
# stored and deflated, with zip64, and with lengths after the data.
# expect: unzip reads it
# expect: python reads it
# expect: zip: 11 nil
# expect: stored: 10 nil
# expect: python: 11 nil
# expect: zip64: 1 nil
# expect: after: 1 nil
# expect: in front: 1 nil
# expect: comment: 1 nil
# needs: zip unzip
cd "$TMPDIR" || exit
mkdir -p tree/deep/er tree/empty
echo one > tree/one
head -c 100000 /dev/urandom > tree/deep/large
: > tree/deep/nothing
seq 20000 > tree/größe
ln -s ../one tree/deep/link
ln -s one tree/link
seq 3000 > tree/deep/er/numbers
chmod 750 tree/one
touch -d '2001-02-03 04:05:06' tree/one tree/deep/large
cat > write.csp << 'END'
import "zip"
w := zip.create("ours.zip")?
w.add_path("tree")?
w.add("more", "text")?
w.close()?
END
cat > read.csp << 'END'
import "os"
import "zip"
os.remove_all("out")?
count, err := zip.extract(os.args[1], "out", most: 1 << 20)
println("${os.args[0]}: ${count} ${err}")
END
"$CSPVM" write.csp
same() { # FOLDER: as the tree, with its times and permissions
  diff -r --no-dereference tree "$1" &&
    [ "$(stat -c %a:%Y "$1/one")" = "$(stat -c %a:%Y tree/one)" ]
}
mkdir theirs && unzip -q ours.zip -d theirs && same theirs/tree && [ "$(cat theirs/more)" = text ] && echo 'unzip reads it'
python3 -c '
import zipfile
with zipfile.ZipFile("ours.zip") as z:
    assert z.testzip() is None
    assert z.read("tree/größe") == open("tree/größe", "rb").read()
    assert z.getinfo("tree/one").external_attr >> 16 == 0o100750
    assert z.read("tree/deep/link") == b"../one"
    assert len(z.namelist()) == 12, z.namelist()
print("python reads it")'
zip -qry theirs.zip tree
"$CSPVM" read.csp zip theirs.zip
same out/tree
rm theirs.zip
zip -qry0 theirs.zip tree -x tree/empty/
"$CSPVM" read.csp stored theirs.zip
mkdir -p out/tree/empty
same out/tree
python3 - << 'END'
import io, os, zipfile
with zipfile.ZipFile("python.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for folder, _, names in os.walk("tree"):
        z.write(folder)
        for name in names:
            z.write(os.path.join(folder, name))
data = b"some data " * 100000
with zipfile.ZipFile("64.zip", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("file", "w", force_zip64=True) as f: f.write(data[:200000])
class Pipe(io.RawIOBase):
    def __init__(self): self.data = b""
    def writable(self): return True
    def write(self, data): self.data += bytes(data); return len(data)
pipe = Pipe()
with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("file", "w") as f: f.write(data[:200000])
open("after.zip", "wb").write(pipe.data)
open("front.zip", "wb").write(b"#!/bin/sh\n" * 100 + pipe.data)
with zipfile.ZipFile("comment.zip", "w") as z:
    z.writestr("file", data[:200000])
    z.comment = b"PK\x05\x06 is no end " * 50
END
"$CSPVM" read.csp python python.zip
diff -r tree out/tree
for name in zip64=64 after=after 'in front=front' comment=comment; do
  "$CSPVM" read.csp "${name%=*}" "${name#*=}.zip"
  python3 -c 'assert open("out/file").read() == ("some data " * 20000)'
done
