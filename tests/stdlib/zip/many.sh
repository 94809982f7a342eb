# More entries than archives without zip64 can have.
# timeout: 120
# once: one thread
# small: CSPDEBUG=
# expect: many: 66000 true
# expect: many of ours: True 66000
cd "$TMPDIR" || exit
python3 -c '
import zipfile
with zipfile.ZipFile("many.zip", "w") as z:
    for i in range(66000): z.writestr("f%d" % i, b"")'
cat > many.csp << 'END'
import "zip"
a := zip.open("many.zip")?
println("many:", len(a.entries()), a.find("f65999").read_all()? == "")
w := zip.create("ours.zip")?
for i in 66_000 { w.add("f${i}", "", modified: 1s)? }
w.close()?
END
"$CSPVM" many.csp
python3 -c '
import zipfile
names = zipfile.ZipFile("ours.zip").namelist()
print("many of ours:", names[65999] == "f65999", len(names))'
