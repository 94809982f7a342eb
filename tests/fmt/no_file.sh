# What is no file is not replaced by one: a named pipe is there afterwards, and
# can still be checked.
# expect: cspvm: cannot format pipe in place: it is not a regular file
# expect: Try `cspvm fmt - < pipe`.
# expect: status 2, a pipe
# expect: pipe
# expect: status 1, a pipe
cd "$TMPDIR" || exit
mkfifo pipe
kind() { [ -p pipe ] && echo a pipe || echo no pipe; }
timeout 20 "$CSPVM" fmt pipe 2>&1
echo "status $?, $(kind)"
echo 'x:=1' > pipe &
timeout 20 "$CSPVM" fmt --check pipe
echo "status $?, $(kind)"
