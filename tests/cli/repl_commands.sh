# What begins with a colon.
# expect: list
# expect: nil, error
# expect: 4
# expect: some time
# expect: func inc(a) repl[5]:1 2 registers, 0 constants
# expect: 0 1:24 ADDI r1 r0 1
# expect: 1 1:15 RET1 r1
# expect: func main() :dis:1 1 register, 0 constants
# expect: 0 1:3 LOADI r0 2
# expect: 1 1:1 RET1 r0
# expect: func main() :dis:1 1 register, 2 constants
# expect: 0 1:10 LOADI r0 1
# expect: 1 1:1 SETG r0 never
# expect: 2 1:1 RET0
# expect: "loaded"
# expect: 7 inputs written to saved.csp
# expect: x is 2
# expect: "all is well"
# expect exit: 1
# expect stderr: `never` is not declared
# expect stderr: there is no command `:foo`: `:help` lists them
# expect stderr: :type needs an argument: :type EXPRESSION
# expect stderr: :goroutines takes no argument
# expect stderr: cannot read none.csp: No such file or directory
# expect stderr: cannot write none/none: No such file or directory
cd "$TMPDIR"
echo 'func loaded() => "loaded"; const at = "top"' > file.csp
"$CSPVM" > out << 'END'
:type [1]
import "os"
:type os.read_file("/none")
:time 2 + 2
func inc(a) { return a + 1 }
:dis inc
:dis 1 + 1
:dis never := 1
never
:load file.csp
loaded()
x := 1
x := 2
:save saved.csp
:foo
:type
:goroutines me
:load none.csp
:save none/none
:q
END
status=$?
sed 's/  */ /g; s/^ //; s/^[0-9.]* [mun]*s$/some time/; /^$/d' out
echo 'println("x is", x)' >> saved.csp
"$CSPVM" saved.csp && echo '"all is well"'
exit $status
