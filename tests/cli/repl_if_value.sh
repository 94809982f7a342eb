# An `if` or a `switch` as the last statement of an input gives its value. Where
# it can be a statement, it is one.
# expect: "positive"
# expect: "positive"
# expect: "other"
# expect: statement
# expect: 10
# expect: {"a": 1}
# expect: int
# expect: "long"
# expect: status 1
# expect stderr: panic: no case of the `switch` fits 5
# expect stderr: repl[10]:1:12: error: the value is not used
# expect stderr: repl[11]:1:23: error: the value is not used
"$CSPVM" << 'END'
x := 5
if x > 0 { "positive" } else { "negative" }
_
switch x { case 1: "one"; default: "other" }
if x > 0 { println("statement") } else { println(2) }
if x > 3 { y := x; y * 2 } else if x > 2 { len("abc") } else { return }
if x > 3 { ({a: 1}) } else { nil }
:type if x > 3 { 1 } else { 2 }
switch x { case 1: "one" }
if x > 0 { 1 }
func f() { if x > 0 { 1 } else { 2 } }
if x > 3 {
  "long"
} else {
  "short"
}
END
echo "status $?"
