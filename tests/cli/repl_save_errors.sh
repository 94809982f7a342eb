# An input whose error was shown as a value does not end the script of `:save`.
# There it calls the same, and drops the error.
# expect: called
# expect: 1, error("a")
# expect: called
# expect: 1, error("b")
# expect: called
# expect: 1, error("c")
# expect: error("d")
# expect: error("e")
# expect: called
# expect: 1, error("ä")
# expect: 1
# expect: 9 inputs written to saved.csp
# expect: func f(e) { println("called"); return 1, error(e) }
# expect: _ = f("a")
# expect: y := 1; _ = f("b")
# expect: _ = try(f, "c")
# expect: t := go error("d")
# expect: _ = <-t
# expect: _ = (error)(
# expect:   "e")
# expect: _ = f("ä")
# expect: [1].pop()
# expect: called
# expect: called
# expect: called
# expect: called
# expect: the end
cd "$TMPDIR" || exit
"$CSPVM" << 'END'
func f(e) { println("called"); return 1, error(e) }
f("a")
y := 1; f("b")
try(f, "c")
t := go error("d")
<-t
(error)(
  "e")
f("ä")
[1].pop()
:save saved.csp
END
cat saved.csp
echo 'println("the end")' >> saved.csp
"$CSPVM" saved.csp
