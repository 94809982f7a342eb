# A program that ends while blocking calls are under way ends cleanly.
# expect: 0
# (What the calls may still touch is left to the process on purpose.)
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
for i in 1 2 3 4 5 6 7 8 9 10; do
  "$CSPVM" --procs 4 -e 'import "os"
    for i in 50 { go { for { os.run("/bin/sleep", ["0.0${50 + i % 20}"]) } } }
    sleep(20ms)' || echo "status $?"
done
echo 0
