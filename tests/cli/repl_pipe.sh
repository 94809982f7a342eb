# Without a terminal the REPL prints values alone: no prompt, no echo. Errors do
# not end it, but its status tells.
# expect: 3
# expect: 15
# expect: 16
# expect: [15, 16]
# expect: 15, 16
# expect: [15, 16]
# expect: nil
# expect: printed
# expect: "after"
# expect exit: 1
# expect stderr: repl[9]:1:1: error: `foo` is not declared
# expect stderr: panic: f: too few arguments: 0 given, 1 needed (`a` is missing)
# expect stderr:   main at repl[10]:1:2
"$CSPVM" << 'END'
1 + 2
x := 5; func f(a) {
  return a * x

}
f(3)
_ + 1
[_ - 1, _]
func two() { return 15, 16 }; two()
_
nil
foo
f()
println("printed")
"after"
END
