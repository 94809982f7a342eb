# Where no descriptor is left, glob tells so: it does not match nothing.
# expect: true
# expect: nil
cd "$TMPDIR" || exit 1
touch a.txt
cat > script.csp << 'END'
import "os"
files := []
for {
  file, err := os.open("a.txt")
  if err != nil { break }
  files.push(file)
}
_, err := os.glob("*.txt")
println(str(err).has_suffix("Too many open files"))
for file in files { file.close()? }
_, err = os.glob("*.txt")
println(err)
END
ulimit -n 64
"$CSPVM" --procs 1 script.csp
