# What is not a regular file is no module. Fault: a FIFO that nobody writes was
# an empty module in a stepped runtime, and in others the import waited for it.
# expect: fifo: fifo.csp: it is not a regular file
# expect: device: device.csp: it is not a regular file
# expect: socket: socket.csp: it is not a regular file
# expect: folder: folder.csp: Is a directory
# expect: linked: the module
cd "$TMPDIR" || exit 1
mkfifo fifo.csp
ln -s /dev/zero device.csp
mkdir folder.csp
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.csp")'
echo 'const word = "the module"' > plain
ln -s plain linked.csp

for name in fifo device socket folder linked; do
  printf 'import "./%s"\nprintln(%s.word)\n' $name $name > main.csp
  timeout 20 "$CSPVM" main.csp > out 2>&1
  printf '%s: %s\n' $name "$(sed -n '1s/.*": //; 1p' out)"
done
