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
. tests/stdlib/zip/lib/peers.sh zip
seq 20000 > tree/größe
ln -s one tree/link
seq 3000 > tree/deep/er/numbers
make_ours
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
