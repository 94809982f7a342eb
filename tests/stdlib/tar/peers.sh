# GNU tar and Python read what the module writes, and the other way round, in
# each of the formats.
# timeout: 120
# expect: tar reads it
# expect: python reads it
# expect: ustar: 11 nil
# expect: pax: 12 nil
# expect: gnu: 12 nil
# expect: python pax: 12 nil
# expect: python gnu: 12 nil
# expect: gzip: 12 nil
# expect: old: 3 nil
# expect: [("a/one", "file", 420), ("a/two", "link", 420)]
. tests/stdlib/zip/lib/peers.sh tar
long=$(printf 'x%.0s' $(seq 90))
mkdir "tree/$long"
echo long > "tree/$long/$long"
ln -s one "tree/$long/l"
ln -s "$long/$long" tree/far
make_ours
mkdir theirs && tar xf ours.tar -C theirs && same theirs/tree && [ "$(cat theirs/more)" = text ] && echo 'tar reads it'
python3 -c '
import tarfile
with tarfile.open("ours.tar") as t:
    assert t.getmember("tree/one").mode == 0o750 and t.getmember("tree/one").mtime == 981173106
    assert t.extractfile("tree/deep/large").read() == open("tree/deep/large", "rb").read()
    assert t.getmember("tree/deep/link").linkname == "../one"
    assert len(t.getnames()) == 13
print("python reads it")'
tar cf theirs.tar --format=ustar --exclude=tree/far tree  # its target is too long
"$CSPVM" read.csp ustar theirs.tar
cp -P tree/far out/tree
same out/tree
for format in pax gnu; do
  tar cf theirs.tar --format=$format tree
  "$CSPVM" read.csp $format theirs.tar
  same out/tree || echo "$format differs"
done
for format in PAX GNU; do
  python3 -c "
import tarfile
with tarfile.open('theirs.tar', 'w', format=tarfile.${format}_FORMAT) as t: t.add('tree')"
  "$CSPVM" read.csp "python ${format,,}" theirs.tar
  same out/tree || echo "$format differs"
done
tar czf theirs.tgz tree
cat > gz.csp << 'END'
import "gzip"
import "os"
import "tar"
os.remove_all("out")?
count, err := tar.extract(gzip.open("theirs.tgz")?, "out")
println("gzip: ${count} ${err}")
END
"$CSPVM" gz.csp
same out/tree
tar cf theirs.tar --format=v7 tree/one tree/deep/nothing tree/empty
"$CSPVM" read.csp old theirs.tar
mkdir a && echo 1 > a/one && chmod 644 a/one && ln a/one a/two
tar cf theirs.tar a/one a/two
"$CSPVM" read.csp linked theirs.tar > /dev/null
[ out/a/one -ef out/a/two ] || echo 'no hard link'
cat > list.csp << 'END'
import "tar"
println(list(tar.open("theirs.tar")?.entries()).map(func(e) => (e.name, e.kind, e.mode)))
END
"$CSPVM" list.csp
