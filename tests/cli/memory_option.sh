# How much values may take, and how many goroutines there may be, is
# configurable.
# expect: out of memory: the limit is 4 MB
# expect: too many goroutines: the limit is 10
# expect: alive
# expect: 2 2 2
code='import "os"
more := "x".repeat(int(os.args[0]))
_, err := try(func() { xs := []
  for { xs.push("text ${len(xs)} ${more}") } })
println(err)'
"$CSPVM" --max-memory 4 -e "$code" "${SIZE:-1}"
code='_, err := try(func() { for { go func() { sleep(1h) }() } })
println(err)
println("alive")'
"$CSPVM" --max-goroutines=10 -e "$code"
"$CSPVM" --max-memory 4M -e 1 2> /dev/null
a=$?
"$CSPVM" --max-memory 0 -e 1 2> /dev/null
b=$?
"$CSPVM" --max-goroutines -1 -e 1 2> /dev/null
echo "$a $b $?"
# small: SIZE=100000
