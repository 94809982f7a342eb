# An input of many lines takes time for its length, not for its square. What is
# wrong in it is still found before its end.
# expect: 100003 2 "(\n" "b]\n"
# expect: after
# expect stderr: error: unexpected `2`
# expect stderr: this `[` is never closed
# expect exit: 1
# timeout: 20
{
  echo 'xs := ['
  yes '{a: "}${[1][0]}", b: [")"]}, // (' | head -100000
  printf '1, `(\n`, ```\nb]\n```]; f := func() => (xs[100001], xs[100002])\n'
  echo 'println(len(xs), len(xs[0]), "${f()[0].quote()}", f()[1].quote())'
  echo 'println("after")'
  echo 'ys := [1 2'
  echo 'zs := ['
} | "$CSPVM"
