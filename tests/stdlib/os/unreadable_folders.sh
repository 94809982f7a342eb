# A folder that cannot be read does not hide all the others: walk and glob give
# what they found, and an error that names the first such folder. Walk does not
# follow links.
# expect: walk: w w/a w/a/1 w/b w/c w/c/2 w/d w/link w/x w/x/y cannot list w/b: Permission denied
# expect: walk of it alone: nil cannot list w/b: Permission denied
# expect: walk of nothing: nil cannot list none: No such file or directory
# expect: all can be read: ["w/c", "w/c/2"] nil
# expect: glob: ["w/a/1", "w/c/2"] cannot list w/b/: Permission denied
# expect: glob of it alone: [] cannot list w/b/: Permission denied
# expect: glob of no folder: [] nil
# expect: glob of nothing: [] nil
cd "$TMPDIR" || exit 1
mkdir -p w/a w/b w/c w/d w/x
touch w/a/1 w/b/hidden w/c/2 w/x/y
ln -s . w/link
cat > script.csp << 'END'
import "os"
func show(name, f) {
  paths, err := f()
  println("${name}:", paths, err)
}
paths, err := os.walk("w")
println("walk:", paths.join(" "), err)
show("walk of it alone", func() => os.walk("w/b"))
show("walk of nothing", func() => os.walk("none"))
show("all can be read", func() => os.walk("w/c"))
show("glob", func() => os.glob("w/[abc]/*"))
show("glob of it alone", func() => os.glob("w/b/*"))
show("glob of no folder", func() => os.glob("w/a/1/*"))
show("glob of nothing", func() => os.glob("none/*"))
END
# Root may read everything, so it becomes nobody.
chmod 755 . w w/a w/c w/d
chmod 0 w/b w/d
chmod 644 w/x
if [ "$(id -u)" = 0 ]; then
  cp "$CSPVM" cspvm
  chown -R 65534:65534 w
  setpriv --reuid 65534 --regid 65534 --clear-groups ./cspvm script.csp
else
  "$CSPVM" script.csp
fi
chmod 755 w/b w/d w/x
