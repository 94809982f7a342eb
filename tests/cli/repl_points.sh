# A panic and an error point into the input, not into one before it.
# expect: ä0
# expect exit: 1
# expect stderr: panic: no here
# expect stderr:   fail at repl[1]:2:8
# expect stderr:   main at repl[2]:3:7
# expect stderr:       fail("here")
# expect stderr:           ^
# expect stderr: panic: division by zero
# expect stderr:   main at repl[4]:1:
# expect stderr:     print("ä"); 1 / zero
# expect stderr:                   ^
# expect stderr: error: no
# expect stderr:   at repl[5]:1:12
# expect stderr:     error("no")?
# expect stderr:                ^
"$CSPVM" << 'END'
func fail(what) {
  panic("no " + what)
}
if true {
  var x
  fail("here")
}
zero := len("")
print("ä"); 1 / zero
error("no")?
zero
END
