# Files that nothing holds any more are closed when no descriptor is left. So a
# loop that leaves os.lines does not fail, and neither does anything else that
# opens something.
# expect: lines: 1000
# expect: open: nil
# expect: read_file: nil
# expect: write_file: nil
# expect: copy_file: nil
# expect: list_dir: nil
# expect: walk: nil
# expect: glob: 1 nil
# expect: temp_file: nil
# expect: run: hello nil
# expect: remove_all: nil
# expect: held: true true
cd "$TMPDIR" || exit 1
echo text > a.txt
cat > script.csp << 'END'
import "os"
n := 0
for i in 1000 { for line in os.lines("a.txt")? { n++; break } }
println("lines:", n)

// Takes all descriptors, and gives the files.
func take_all() {
  files := []
  for {
    file, err := os.open("a.txt")
    if err != nil { return files, err }
    files.push(file)
  }
}
func full(name, f) {
  _ = take_all()
  println("${name}:", f()...)
}
func err_of(f) {
  _, err := f()
  return [err]
}
full("open", func() => err_of(func() => os.open("a.txt")))
full("read_file", func() => err_of(func() => os.read_file("a.txt")))
full("write_file", func() => [os.write_file("b.txt", "x")])
full("copy_file", func() => [os.copy_file("a.txt", "c.txt")])
full("list_dir", func() => err_of(func() => os.list_dir()))
os.mkdir_all("one/two/three")?
os.write_file("one/two/file", "")?
full("walk", func() => err_of(func() => os.walk(".")))
full("glob", func() { paths, err := os.glob("o*/t*/t*"); return [len(paths), err] })
full("temp_file", func() => err_of(func() => os.temp_file("t", ".")))
full("run", func() { r, err := os.run("echo", ["hello"]); return [r.out.trim(), err] })
full("remove_all", func() => [os.remove_all("one")])
files, err := take_all()
println("held:", err.message.has_suffix("Too many open files"), len(files) > 20)
END
ulimit -n 64
"$CSPVM" --procs 1 script.csp
