# A brace at an input's beginning opens a map where that is right, else a block.
# expect: {"a": 1}
# expect: {}
# expect: {"a": [1, 2], "b": 3}
# expect: 3
# expect: block
# expect: 2
# expect: loop
# expect: map
# expect exit: 1
# expect stderr: repl[9]:1:11: error: unexpected `}`, expected an expression
# expect stderr:     {a: 1, b: }
# expect stderr:               ^
# expect stderr: repl[10]:1:12: error: unexpected `)`, expected an expression
# expect stderr:     { print(1 +) }
# expect stderr:                ^
# expect stderr: repl[11]:1:5: error: `nope` is not declared
# expect stderr:     {a: nope}
# expect stderr:         ^~~~
"$CSPVM" << 'END'
{a: 1}
{}
{
  a: [1, 2],
  "b": 3,
}
{x: 1,
 y: 3}["y"]
{ println("block") }
{
  x := 1
  println(x + 1)
}
{ outer: for { println("loop"); break outer } }
:type {a: 1}
{a: 1, b: }
{ print(1 +) }
{a: nope}
END
