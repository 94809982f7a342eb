# What the system refuses has a code, by which a program goes on.
# expect: no file: not_found
# expect: no program: not_found
# expect: no folder to run in: not_found
# expect: an empty path: not_found
# expect: a folder that is there: exists
# expect: a file that is there: exists
# expect: read a folder: is_folder
# expect: write a folder: is_folder
# expect: below a file: not_folder
# expect: remove a full folder: not_empty
# expect: rename onto a full folder: not_empty
# expect: links in a circle: loop
# expect: a long name: too_long
# expect: many arguments: too_long
# expect: a full device: no_space
# expect: a full device, again: no_space
# expect: a closed file: closed
# expect: a file open to write: closed
# expect: close twice: closed
# expect: nobody reads: broken_pipe
# expect: seek in a pipe: unsupported
# expect: no link: invalid
# expect: a path with a zero byte: invalid
# expect: a broken device: io
# expect: a program that runs: busy
# expect: no terminal: other
# expect: a folder with a hole: permission
# expect: a file that is not for us: permission
# expect: its folder, in a list: permission ["x/open"]
# expect: no descriptor: limit
# expect: no descriptor to run: limit
# expect: a file that is too long: too_long
cd "$TMPDIR" || exit 1
mkdir full
touch full/file file
ln -s b a
ln -s a b
mkfifo fifo
cp "$CSPVM" cspvm
cat > script.csp <<"S"
import "os"
func say(name, results...) { println("${name}:", results.last().code) }
func last(name, f) {
  _, err := f()
  say(name, err)
}
last("no file", func() => os.read_file("none"))
last("no program", func() => os.run("./none"))
last("no folder to run in", func() => os.run("ls", dir: "none"))
last("an empty path", func() => os.read_file(""))
say("a folder that is there", os.mkdir("full"))
last("a file that is there", func() => os.open("file", "x"))
last("read a folder", func() => os.read_file("full"))
say("write a folder", os.write_file("full", "x"))
last("below a file", func() => os.stat("file/x"))
say("remove a full folder", os.remove("full"))
os.mkdir("other")?
say("rename onto a full folder", os.rename("other", "full"))
last("links in a circle", func() => os.read_file("a"))
last("a long name", func() => os.read_file("n".repeat(1000)))
last("many arguments", func() => os.run("ls", ["x".repeat(1_000_000)].map(func(w) => w + w).flat_map(func(w) => [w, w, w])))
device := os.open("/dev/full", "w")?
device.write("x")?
say("a full device", device.flush())
say("a full device, again", device.close())
file := os.open("file")?
file.close()?
last("a closed file", func() => file.read())
file = os.open("file", "w")?
last("a file open to write", func() => file.read())
file.close()?
say("close twice", file.close())
reader := os.open("fifo", "r")?
writer := os.open("fifo", "w")?
reader.close()?
writer.write("x")?
say("nobody reads", writer.flush())
last("seek in a pipe", func() => os.open("fifo", "r+")?.seek(1))
last("no link", func() => os.read_link("file"))
last("a path with a zero byte", func() => os.read_file("a\x00b"))
last("a broken device", func() => os.read_file("/proc/self/mem"))
say("a program that runs", os.write_file("cspvm", ""))
last("no terminal", func() => os.read_file("/dev/tty"))
S
setsid -w ./cspvm script.csp

mkdir -p x/shut x/open secret
echo mine > secret/file
chmod 0 x/shut
chmod 0 secret/file
chmod 755 . x x/open secret
cat > nobody.csp <<"S"
import "os"
say := func(name, err, more...) { println("${name}:", err.code, more...) }
_, err := os.list_dir("x/shut")
say("a folder with a hole", err)
_, err = os.read_file("secret/file")
say("a file that is not for us", err)
paths, err := os.walk("x")
say("its folder, in a list", err, paths.filter(func(p) => p == "x/open"))
S
if [ "$(id -u)" = 0 ]; then
  chown -R 65534:65534 x
  setpriv --reuid 65534 --regid 65534 --clear-groups ./cspvm nobody.csp
else
  ./cspvm nobody.csp
fi
chmod 755 x/shut

cat > few.csp <<"S"
import "os"
files, err := [], nil
for err == nil {
  file, why := os.open("file")
  err = why
  files.push(file)
}
println("no descriptor:", err.code)
_, err = os.run("true")
println("no descriptor to run:", err.code)
S
(ulimit -n 40 && ./cspvm few.csp)
cat > long.csp <<"S"
import "os"
err := os.write_file("long", "x".repeat(100_000))
println("a file that is too long:", err.code)
S
(trap '' XFSZ; ulimit -f 1; ./cspvm long.csp)
