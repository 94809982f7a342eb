# Archives that want to write outside of the folder, or to be too large, are
# refused, and nothing is written there.
# timeout: 120
cd "$TMPDIR" || exit
cat > make.py << 'END'
import io, tarfile
def archive(name, *entries):
    with tarfile.open(name + ".tar", "w") as t:
        for kind, path, more in entries:
            info = tarfile.TarInfo(path)
            info.type = kind
            data = None
            if kind in (tarfile.REGTYPE, tarfile.GNUTYPE_SPARSE):
                info.size, data = len(more), io.BytesIO(more)
            else:
                info.linkname = more
            t.addfile(info, data)
FILE, LINK, HARD, DIR = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
archive("absolute", (FILE, "/tmp/outside", b"x"))
archive("above", (FILE, "../outside", b"x"))
archive("inner", (FILE, "a/b/../../../outside", b"x"))
archive("link_above", (LINK, "a", ".."), (FILE, "a/outside", b"x"))
archive("link_absolute", (LINK, "a", "/tmp"), (FILE, "a/outside", b"x"))
archive("link_middle", (DIR, "d/e/f", ""), (LINK, "d/e/f/up", "../../.."), (LINK, "out", "d/e/f/up/.."), (FILE, "out/outside", b"x"))
archive("link_folder", (LINK, "a", "b"), (DIR, "b", ""), (FILE, "a/inside", b"x"))
archive("link_file", (FILE, "b", b"old"), (LINK, "a", "b"), (FILE, "a", b"new"))
archive("hard_above", (HARD, "a", "../secret"), (FILE, "a", b"x"))
archive("hard_absolute", (HARD, "a", "/etc/passwd"))
archive("hard_link", (DIR, "d", ""), (FILE, "one", b"1"), (LINK, "d/l", "../one"), (HARD, "m", "d/l"))
archive("hard_write", (FILE, "a", b"one"), (HARD, "b", "a"), (FILE, "b", b"two"))
archive("hard_itself", (FILE, "a", b"one"), (HARD, "a", "a"))
archive("hard_missing", (HARD, "a", "b"))
archive("fifo", (tarfile.FIFOTYPE, "a", ""))
archive("device", (tarfile.CHRTYPE, "a", ""))
archive("block", (tarfile.BLKTYPE, "a", ""))
archive("over_folder", (DIR, "a", ""), (FILE, "a", b"x"))
archive("dots", (DIR, "./", ""), (DIR, ".", ""), (FILE, "./a/./b", b"x"))
archive("many", *((FILE, "f%d" % i, b"") for i in range(300)))
archive("large", *((FILE, "f%d" % i, b"x" * 400) for i in range(3)))
archive("setuid", (FILE, "a", b"x"))
with tarfile.open("setuid.tar", "w") as t:
    info = tarfile.TarInfo("a")
    info.mode, info.size = 0o6777, 1
    t.addfile(info, io.BytesIO(b"x"))
END
python3 make.py
cat > try.csp << 'END'
import "os"
import "tar"
for path in os.args {
  name := path.trim_suffix(".tar")
  os.remove_all("box")?
  count, err := tar.extract(path, "box/in", most: 1000, entries: 200)
  println(name, count ?? "-", err ?? "", (if err == nil { "" } else { err.code }))
  if os.exists("box/outside") || os.exists("outside") || os.exists("/tmp/outside") { println("  it is OUT") }
}
END
echo secret > secret
"$CSPVM" try.csp absolute.tar above.tar inner.tar link_above.tar link_absolute.tar link_middle.tar link_folder.tar
# expect: absolute - cannot unpack "/tmp/outside", at byte 0 of the archive: the path is absolute invalid
# expect: above - cannot unpack "../outside", at byte 0 of the archive: the path has `..` in it invalid
# expect: inner - cannot unpack "a/b/../../../outside", at byte 0 of the archive: the path has `..` in it invalid
# expect: link_above - cannot unpack "a", at byte 0 of the archive: it is a link to ..: it leads out of the folder invalid
# expect: link_absolute - cannot unpack "a", at byte 0 of the archive: it is a link to /tmp: it leads out of the folder, to an absolute path invalid
# expect: link_middle - cannot unpack "out", at byte 1024 of the archive: it is a link to d/e/f/up/..: it leads to a place with `..` in the middle invalid
# expect: link_folder - cannot unpack "a/inside", at byte 1024 of the archive: Not a directory not_folder
"$CSPVM" try.csp link_file.tar && cat box/in/b box/in/a && echo
# expect: link_file 3  
# expect: oldnew
"$CSPVM" try.csp hard_above.tar hard_absolute.tar hard_link.tar hard_write.tar && cat box/in/a box/in/b && echo
# expect: hard_above - cannot unpack "a", at byte 0 of the archive: it is a link to "../secret": the path has `..` in it invalid
# expect: hard_absolute - cannot unpack "a", at byte 0 of the archive: it is a link to "/etc/passwd": the path is absolute invalid
# expect: hard_link - cannot unpack "m", at byte 2048 of the archive: cannot unpack m to d/l: Operation not permitted permission
# expect: hard_write 3  
# expect: onetwo
"$CSPVM" try.csp hard_itself.tar && cat box/in/a && echo
# expect: hard_itself 2  
# expect: one
"$CSPVM" try.csp hard_missing.tar fifo.tar device.tar block.tar over_folder.tar many.tar large.tar dots.tar && cat box/in/a/b && echo
# expect: hard_missing - cannot unpack "a", at byte 0 of the archive: cannot unpack a to b: No such file or directory not_found
# expect: fifo - cannot unpack "a", at byte 0 of the archive: it is neither a file, a folder nor a link, but a fifo invalid
# expect: device - cannot unpack "a", at byte 0 of the archive: it is neither a file, a folder nor a link, but a device invalid
# expect: block - cannot unpack "a", at byte 0 of the archive: it is neither a file, a folder nor a link, but a device invalid
# expect: over_folder - cannot unpack "a", at byte 512 of the archive: Is a directory is_folder
# expect: many - there are more than 200 entries, the limit limit
# expect: large - cannot unpack "f2", at byte 2048 of the archive: all files together have more bytes than `most`, the limit limit
# expect: dots 3  
# expect: x
umask 022
"$CSPVM" try.csp setuid.tar && stat -c %a box/in/a
# expect: setuid 1  
# expect: 755
cat secret
# expect: secret
