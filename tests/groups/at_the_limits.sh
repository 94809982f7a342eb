# Groups inside each other: as many as calls may be (main's and try's are two of
# them), and as goroutines may be (main is one), one less, and one more, which
# is refused. Then all works as before.
# expect: 97 97
# expect: 98 98
# expect: 99 stack overflow: too many calls inside each other
# expect: 97 97
# expect: 98 98
# expect: 99 stack overflow: too many calls inside each other
# expect: 18 18 nil
# expect: 19 19 nil
# expect: 20 0 too many goroutines: the limit is 20
# expect: 18 18 nil
# expect: 19 19 nil
# expect: 20 0 too many goroutines: the limit is 20
"$CSPVM" --max-frames 100 -e '
func down(n) {
  if n == 1 { return 1 }
  m := 0
  group { m = down(n - 1) }
  return m + 1
}
for round in 2 {
  for n in 97..=99 {
    m, err := try(down, n)
    println(n, err ?? m)
  }
}'
"$CSPVM" --max-goroutines 20 -e '
func chain(n, ended) {
  if n > 1 { group { go chain(n - 1, ended) } }
  ended <- n
}
for round in 2 {
  for n in 18..=20 {
    ended := chan(n)
    _, err := try(func() { group { go chain(n, ended) } })
    println(n, len(ended), err)
  }
}'
