# Two signals at once are one request to end: what was written goes out. (One
# that timeout(1) ends gets two.)
# expect: 20 of 20
cd "$TMPDIR" || exit 1
whole=0
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  rm -f out begun
  "$CSPVM" -e 'import "os"
file := os.open("out", "w")?
file.write("written")?
os.write_file("begun", "")?
sleep(1h)' &
  until [ -e begun ]; do sleep 0.01; done
  { kill -TERM $!; kill -HUP $!; } 2> /dev/null
  wait $! 2> /dev/null
  [ "$(cat out)" = written ] && whole=$((whole + 1))
done
echo "$whole of 20"
