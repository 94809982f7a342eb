# How deep calls may nest is configurable, in frames and in memory.
# small: CSPDEBUG=gcstress=31
# expect: 90
# expect: stack overflow: too many calls inside each other
# expect: stack overflow: the stack's limit is reached
# expect: 2 2
code='import "os"
func f(n) { if n == 0 { return 0 }
  return 1 + f(n - 1) }
v, err := try(f, int(os.args[0]))
println(v ?? err)'
"$CSPVM" --max-frames 100 -e "$code" 90
"$CSPVM" --max-frames=100 -e "$code" 110
"$CSPVM" --max-stack 1 -e "$code" 900000
"$CSPVM" --max-stack x -e 1 2> /dev/null
a=$?
"$CSPVM" --max-frames 0 -e 1 2> /dev/null
echo "$a $?"
