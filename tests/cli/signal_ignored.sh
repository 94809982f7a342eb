# A signal that the program was started to ignore stays ignored; two of the
# others end one that does not end by itself.
# expect: the end
# expect: status 0
# expect: status 143
# timeout: 60
cd "$TMPDIR" || exit 1
cat > wait.csp << 'END'
import "os"
os.write_file("began", "")?
for !os.exists("go") { sleep(1ms) }
println("the end")
END
(trap '' HUP; exec "$CSPVM" wait.csp) &
until [ -e began ]; do sleep 0.01; done
kill -HUP $!
sleep 0.05
touch go
wait $!
echo "status $?"
rm began go
mkfifo pipe
exec 3<> pipe
head -c 65536 /dev/zero >&3  # it is full
cat > stuck.csp << 'END'
import "os"
os.write_file("began", "")?
os.write_file("pipe", "x")
END
"$CSPVM" stuck.csp &
until [ -e began ]; do sleep 0.01; done
kill -TERM $!
wait $! 2> /dev/null
echo "status $?"
