# Archives that want to write outside of the folder, that are bombs, encrypted
# or damaged, are refused, and nothing is written outside.
# timeout: 120
cd "$TMPDIR" || exit
cat > make.py << 'END'
import struct, zipfile, zlib
def archive(name, *entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name + ".zip", "w", method) as z:
        for path, data, mode in entries:
            info = zipfile.ZipInfo(path)
            info.create_system, info.external_attr = 3, mode << 16
            info.compress_type = method
            z.writestr(info, data)
FILE, LINK, FIFO = 0o100644, 0o120777, 0o010644
archive("absolute", ("/tmp/outside", b"x", FILE))
archive("above", ("../outside", b"x", FILE))
archive("inner", ("a/../../outside", b"x", FILE))
archive("link_above", ("a", b"..", LINK), ("a/outside", b"x", FILE))
archive("link_absolute", ("a", b"/tmp", LINK), ("a/outside", b"x", FILE))
archive("link_folder", ("a", b"b", LINK), ("b/c", b"x", FILE), ("a/d", b"x", FILE))
archive("link_file", ("b", b"old", FILE), ("a", b"b", LINK), ("a", b"new", FILE))
archive("link_long", ("a", b"b" * 5000, LINK))
archive("fifo", ("a", b"", FIFO))
archive("setuid", ("a", b"x", 0o106777))
archive("many", *(("f%d" % i, b"", FILE) for i in range(300)))
archive("large", *(("f%d" % i, b"x" * 400, FILE) for i in range(3)))
archive("bomb", ("a", b"\0" * 50_000_000, FILE))
archive("bzip2", ("a", b"x" * 100, FILE), method=zipfile.ZIP_BZIP2)
archive("plain", ("a", b"some text, some more text", FILE), ("b", b"more", FILE))
def changed(name, at, value, of="plain"):
    data = bytearray(open(of + ".zip", "rb").read())
    data[at:at + len(value)] = value
    open(name + ".zip", "wb").write(data)
data = open("plain.zip", "rb").read()
directory = data.index(b"PK\x01\x02")
packed, size = struct.unpack("<II", data[directory + 20:directory + 28])
changed("encrypted", directory + 8, b"\x01")
changed("other_name", 30, b"c")
changed("crc", directory + 16, b"\0\0\0\0")
changed("longer", directory + 24, struct.pack("<I", size + 1))
changed("shorter", directory + 24, struct.pack("<I", size - 1))
changed("data", 35, b"\xff\xff")
changed("volumes", len(data) - 18, b"\1\0")
changed("count", len(data) - 12, b"\x07\0\x07\0")
changed("place", len(data) - 6, b"\xf0\xff\0\0")
changed("offset", directory + 42, struct.pack("<I", 0x7fffffff))
open("cut.zip", "wb").write(data[:-30])
open("head.zip", "wb").write(b"x" * 10 + data[10:])
# One file's data, which many entries of the directory share.
def overlapping(name, step):
    body = zlib.compress(b"\0" * 100_000, 9)[2:-4]
    crc = zlib.crc32(b"\0" * 100_000)
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(body), 100_000, 1, 0) + b"a" + body
    central = b"".join(b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 33, crc, len(body), 100_000, 1, 0, 0, 0, 0, 0, i * step)
                       + b"a" for i in range(50))
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 50, 50, len(central), len(local), 0)
    open(name + ".zip", "wb").write(local + central + end)
overlapping("shared", 0)
overlapping("nested", 1)
END
python3 make.py 2> /dev/null
cat > try.csp << 'END'
import "os"
import "zip"
for path in os.args {
  name := path.trim_suffix(".zip")
  os.remove_all("box")?
  count, err := zip.extract(path, "box/in", most: 1000, entries: 200)
  println(name, count ?? "-", err ?? "", (if err == nil { "" } else { err.code }))
  if os.exists("box/outside") || os.exists("outside") || os.exists("/tmp/outside") { println("  it is OUT") }
}
END
"$CSPVM" try.csp absolute.zip above.zip inner.zip link_above.zip link_absolute.zip link_folder.zip link_long.zip fifo.zip
# expect: absolute - cannot unpack "/tmp/outside", at byte 0 of the archive: the path is absolute invalid
# expect: above - cannot unpack "../outside", at byte 0 of the archive: the path has `..` in it invalid
# expect: inner - cannot unpack "a/../../outside", at byte 0 of the archive: the path has `..` in it invalid
# expect: link_above - cannot unpack "a", at byte 0 of the archive: it is a link to ..: it leads out of the folder invalid
# expect: link_absolute - cannot unpack "a", at byte 0 of the archive: it is a link to /tmp: it leads out of the folder, to an absolute path invalid
# expect: link_folder - cannot unpack "a/d", at byte 70 of the archive: Not a directory not_folder
# expect: link_long - a has more than 4096 bytes; the argument `most` sets another limit limit
# expect: fifo - cannot unpack "a", at byte 0 of the archive: it is neither a file, a folder nor a link, but a other invalid
"$CSPVM" try.csp link_file.zip && cat box/in/b box/in/a && echo
# expect: link_file 3  
# expect: oldnew
umask 022
"$CSPVM" try.csp setuid.zip && stat -c %a box/in/a
# expect: setuid 1  
# expect: 755
"$CSPVM" try.csp many.zip large.zip bomb.zip shared.zip nested.zip bzip2.zip encrypted.zip
# expect: many - cannot read many.zip, at byte 25580: there are 300 entries, more than 200, the limit limit
# expect: large - cannot unpack "f2", at byte 80 of the archive: all files together have more bytes than `most`, the limit limit
# expect: bomb - cannot unpack "a", at byte 0 of the archive: cannot read bomb.zip, at byte 0: 48604 bytes of "a" become 50000000, more than 200 for each limit
# expect: shared - cannot read shared.zip, at byte 0: "a" and "a" share bytes invalid
# expect: nested - cannot read nested.zip, at byte 49: "a" and the directory share bytes invalid
# expect: bzip2 - cannot unpack "a", at byte 0 of the archive: cannot read bzip2.zip, at byte 0: "a" is compressed by method 12, which is not supported unsupported
# expect: encrypted - cannot unpack "a", at byte 0 of the archive: cannot read encrypted.zip, at byte 0: "a" is encrypted, which is not supported unsupported
"$CSPVM" try.csp plain.zip other_name.zip crc.zip longer.zip shorter.zip data.zip volumes.zip count.zip place.zip offset.zip cut.zip head.zip
# expect: plain 2  
# expect: other_name - cannot unpack "a", at byte 0 of the archive: cannot read other_name.zip, at byte 0: "a" of the directory is "c" there syntax
# expect: crc - cannot unpack "a", at byte 0 of the archive: cannot read crc.zip, at byte 51: "a" is damaged, as its checksum is wrong syntax
# expect: longer - cannot unpack "a", at byte 0 of the archive: cannot read longer.zip, at byte 51: "a" has 25 bytes, and not 26 syntax
# expect: shorter - cannot unpack "a", at byte 0 of the archive: cannot read shorter.zip, at byte 51: "a" has more than the 24 bytes that the directory tells of syntax
# expect: data - cannot unpack "a", at byte 0 of the archive: cannot read data.zip, at byte 51: "a" is damaged: the data is damaged at byte 16: invalid distance too far back syntax
# expect: volumes - cannot read volumes.zip, at byte 182: it is one of several volumes unsupported
# expect: count - cannot read count.zip, at byte 175: the directory has less than 7 entries syntax
# expect: place - cannot read place.zip, at byte 182: the directory is not in front of its end syntax
# expect: offset - cannot read offset.zip, at byte 2147483647: "a" and the directory share bytes invalid
# expect: cut - cannot read cut.zip, at byte 174: this is no zip archive, as no directory is at its end syntax
# expect: head - cannot unpack "a", at byte 0 of the archive: cannot read head.zip, at byte 0: "a" is not there syntax
