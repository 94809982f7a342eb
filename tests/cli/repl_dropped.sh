# The prompt shows an error that the last call gives. One that another statement
# drops is a panic, as in a script.
# expect: 1, error("no")
# expect: error("made")
# expect: 7
# expect: "end"
# expect exit: 1
# expect stderr: error: no
# expect stderr:   at repl[3]:1:4
# expect stderr: panic: no
# expect stderr:   main at repl[4]:1:2
# expect stderr: panic: no
# expect stderr:   main at repl[5]:1:12
# expect stderr: panic: `?` takes nil or an error as the last value, not the string "text"
# expect stderr:   at repl[9]:1:4
"$CSPVM" << 'END'
func f() { return 1, error("no") }
f()
f()?
f(); 7
if true { f() }
error("made")
_ = f(); 7
func g() => "text"
g()?
"end"
END
