# Nothing that goes wrong ends the REPL: panics, errors, deadlocks, goroutines
# that end badly.
# expect: "still here"
# expect: nil, error("cannot read /none: No such file or directory", code: "not_found")
# expect: "text"
# expect: 7
# expect exit: 1
# expect stderr: panic: index 5 out of range (length 0)
# expect stderr:   get at repl[1]:1:
# expect stderr:   main at repl[2]:1:4
# expect stderr: deadlock: all goroutines are asleep
# expect stderr: [chan receive]:
# expect stderr:   main at repl[3]:1:1
# expect stderr: panic: boom
# expect stderr: [running]:
# expect stderr: error: lost
# expect stderr: error: cannot read /none: No such file or directory
# expect stderr:   at repl[12]:1:
# expect stderr: error: cannot read /none: No such file or directory
# expect stderr:   main at repl[14]:1:
# expect stderr: panic: `y` is used before it is set
export FILE="$TMPDIR/file"
printf text > "$FILE"
# One P: what sleep waits for has run then, and is reported, however busy the
# machine is.
"$CSPVM" --procs 1 << 'END'
func get(xs) => xs[5]
get([])
<-chan()
func bad() { panic("boom") }
go bad()
sleep(1ms)
go func() { return error("lost") }()
sleep(1ms)
"still here"
import "os"
os.read_file("/none")
os.read_file("/none")?
os.read_file(os.env("FILE"))?
t := os.read_file("/none")?
y := panic("no")
y
y := 7
y
END
