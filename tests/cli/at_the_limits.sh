# One less than a limit, the limit, one more: the last is refused, and when what
# was too much has gone all works as before. Frames (main's and try's are two of
# them), goroutines, descriptors.
# expect: 97 nil
# expect: 98 nil
# expect: 99 stack overflow: too many calls inside each other
# expect: 97 nil
# expect: 98 nil
# expect: 99 stack overflow: too many calls inside each other
# expect: 19 nil
# expect: 20 nil
# expect: 21 too many goroutines: the limit is 20
# expect: 19 nil
# expect: 20 nil
# expect: 21 too many goroutines: the limit is 20
# expect: cannot open /dev/null: Too many open files
# expect: true true
# expect: true true
# expect: true true
# expect: again
"$CSPVM" --max-frames 100 -e '
func f(n) {
  if n == 1 { return 1 }
  return f(n - 1) + 1
}
for round in 2 {
  for depth in 97..=99 {
    _, err := try(f, depth)
    println(depth, err)
  }
}'
"$CSPVM" --max-goroutines 20 -e '
import "sched"
stop := chan()
func start(n) {
  for i in n { go { <-stop } }
}
for round in 2 {
  for n in 19..=21 {
    _, err := try(start, n - 1)
    println(n, err)
    for sched.goroutines() > 1 {
      select {
      case stop <- nil:
      default: sched.yield()
      }
    }
  }
}'
(
  ulimit -n 32
  "$CSPVM" -e '
import "os"
files := []
for {
  f, err := os.open("/dev/null")
  if err != nil {
    println(err)
    break
  }
  files.push(f)
}
for round in 3 {
  files.pop().close()
  f, one := os.open("/dev/null")
  files.push(f)
  _, more := os.open("/dev/null")
  println(one == nil, more != nil)
}
for f in files { f.close() }
done, err := os.run("echo", ["again"])
print(done.out)
'
)
