# -i runs a script, then inputs that see its names; what goes wrong in it ends
# nothing.
# expect: script [a b]
# expect: 42
# expect: ["a", "b"]
# expect: 43
# expect: 44
# expect: 5
# expect exit: 1
# expect stderr: panic: late
# expect stderr: main at
# expect stderr: -i needs a file
cd "$TMPDIR"
echo 'func help() => 2' > part.csp
cat > file.csp << 'END'
import "os"
import "./part"
println("script [${os.args[0]} ${os.args[1]}]")
answer := 40 + part.help()
func next() { answer++; return answer }
END
printf 'answer\nos.args\nnext()\n' | "$CSPVM" -i file.csp a b || exit 9
echo 'x := 44; panic("late")' > bad.csp
echo x | "$CSPVM" -i bad.csp && exit 9
echo y | "$CSPVM" -i -e 'y := 5' || exit 9
"$CSPVM" -i - < /dev/null
[ $? = 2 ] && exit 1
