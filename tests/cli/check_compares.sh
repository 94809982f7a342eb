# check warns about comparisons that are never true, where the types are
# certain.
# expect: a.csp:5:8: warning: this is never true: a string is compared with an int
# expect:       if c == 'a' { println(c) }
# expect:            ^~
# expect:     a character in `'` is an int: write it as a string, in `"`
# expect: a.csp:7:14: warning: this is never true: an int is compared with a string
# expect:     println(s[0] == "a", len(s) == "3", str(1) != 1, s == nil)
# expect:                  ^~
# expect: a.csp:7:29: warning: this is never true: an int is compared with a string
# expect:     println(s[0] == "a", len(s) == "3", str(1) != 1, s == nil)
# expect:                                 ^~
# expect: a.csp:7:44: warning: this is always true: a string is compared with an int
# expect:     println(s[0] == "a", len(s) == "3", str(1) != 1, s == nil)
# expect:                                                ^~
# expect: a.csp:7:52: warning: this is never true: a string is compared with nil
# expect:     println(s[0] == "a", len(s) == "3", str(1) != 1, s == nil)
# expect:                                                        ^~
# expect: a.csp:8:13: warning: this is never true: a new list is equal to no other
# expect:     println([1] == [1], {} != s, s.to_upper() == 'A', (1 < 2) == 1)
# expect:                 ^~
# expect:     `equal(a, b)` compares what is in them
# expect: a.csp:8:24: warning: this is always true: a map is compared with a string
# expect:     println([1] == [1], {} != s, s.to_upper() == 'A', (1 < 2) == 1)
# expect:                            ^~
# expect: a.csp:8:43: warning: this is never true: a string is compared with an int
# expect:     println([1] == [1], {} != s, s.to_upper() == 'A', (1 < 2) == 1)
# expect:                                               ^~
# expect:     a character in `'` is an int: write it as a string, in `"`
# expect: a.csp:8:59: warning: this is never true: a bool is compared with an int
# expect:     println([1] == [1], {} != s, s.to_upper() == 'A', (1 < 2) == 1)
# expect:                                                               ^~
# expect: a.csp:10:6: warning: this case never comes: a string is compared with an int
# expect:     case 'a', "b": println(1)
# expect:          ^
# expect:     a character in `'` is an int: write it as a string, in `"`
# expect: a.csp:11:6: warning: this case never comes: a string is compared with nil
# expect:     case nil: println(2)
# expect:          ^
# expect: a.csp:14:6: warning: `case int` compares with the function `int`
# expect:     case int: println(3)
# expect:          ^~~
# expect:     for the type write `case is int`
# expect: a.csp:17:13: warning: this is never true: a new struct is equal to no other
# expect:       println(x == P(1), P(1) != geo.Point(1, 2), [1, 2][0:1] == x, x == list(x))
# expect:                 ^~
# expect:     `equal(a, b)` compares what is in them
# expect: a.csp:17:27: warning: this is always true: a new struct is equal to no other
# expect:       println(x == P(1), P(1) != geo.Point(1, 2), [1, 2][0:1] == x, x == list(x))
# expect:                               ^~
# expect:     `equal(a, b)` compares what is in them
# expect: a.csp:17:59: warning: this is never true: a new list is equal to no other
# expect:       println(x == P(1), P(1) != geo.Point(1, 2), [1, 2][0:1] == x, x == list(x))
# expect:                                                               ^~
# expect:     `equal(a, b)` compares what is in them
# expect: a.csp:17:67: warning: this is never true: a new list is equal to no other
# expect:       println(x == P(1), P(1) != geo.Point(1, 2), [1, 2][0:1] == x, x == list(x))
# expect:                                                                       ^~
# expect:     `equal(a, b)` compares what is in them
# expect: a.csp:19:8: warning: this case never comes: a new list is equal to no other
# expect:       case [1, 2], P(3): println(3)
# expect:            ^
# expect:     `switch { case equal(a, b): }` compares what is in them
# expect: a.csp:19:17: warning: this case never comes: a new struct is equal to no other
# expect:       case [1, 2], P(3): println(3)
# expect:                     ^
# expect:     `switch { case equal(a, b): }` compares what is in them
# expect: a.csp:20:8: warning: `case list` compares with the function `list`
# expect:       case list, map, error: println(4)
# expect:            ^~~~
# expect:     for the type write `case is list`
# expect: a.csp:20:14: warning: `case map` compares with the function `map`
# expect:       case list, map, error: println(4)
# expect:                  ^~~
# expect:     for the type write `case is map`
# expect: a.csp:20:19: warning: `case error` compares with the function `error`
# expect:       case list, map, error: println(4)
# expect:                       ^~~~~
# expect:     for the type write `case is error`
# expect: a.csp:21:8: warning: `case str` compares with the function `str`
# expect:       case str: println(5)
# expect:            ^~~
# expect:     for the type write `case is string`
# expect: a.csp:22:8: warning: `case P` compares with the struct `P`
# expect:       case P, geo.Point: println(6)
# expect:            ^
# expect:     for the type write `case is P`
# expect: a.csp:22:15: warning: `case Point` compares with the struct `Point`
# expect:       case P, geo.Point: println(6)
# expect:                   ^~~~~
# expect:     for the type write `case is geo.Point`
# expect: b.csp:1:16: warning: this is never true: a tuple is compared with a list
# expect:     println((1, 2) == [1, 2], equal((1, 2), [1, 2]))
# expect:                    ^~
# expect:     a tuple is never a list: compare with `tuple(xs)`
# expect: b.csp:3:6: warning: this case never comes: a tuple is compared with a list
# expect:     case [1, 2]: println(1)
# expect:          ^
# expect:     a tuple is never a list: compare with `tuple(xs)`
# expect: b.csp:5:42: warning: this is never true: a new list is equal to no other
# expect:     println((1,) + (2,) == (1, 2), [1] + [2] == [1, 2])
# expect:                                              ^~
# expect:     `equal(a, b)` compares what is in them
# expect: false false
# expect: true false
# expect: c.csp:1:16: warning: this is never true: a tuple of length 2 is compared with one of length 3
# expect:     println((1, 2) == (1, 2, 3), () != (1,), (1, 2) == (2, 1))
# expect:                    ^~
# expect: c.csp:1:33: warning: this is always true: a tuple of length 0 is compared with one of length 1
# expect:     println((1, 2) == (1, 2, 3), () != (1,), (1, 2) == (2, 1))
# expect:                                     ^~
# expect: c.csp:5:6: warning: this case never comes: a tuple of length 2 is compared with one of length 1
# expect:     case (1,), (1, 3): println("no")
# expect:          ^
# expect: c.csp:8:9: warning: this is never true: a new list is equal to no other
# expect:     println([1] in xs, (1, [2]) in xs, t in xs, xs in xs)
# expect:             ^
# expect:     `xs.any(func(x) => equal(x, v))` compares what is in them
# expect: c.csp:8:24: warning: this is never true: a new list is equal to no other
# expect:     println([1] in xs, (1, [2]) in xs, t in xs, xs in xs)
# expect:                            ^
# expect:     `xs.any(func(x) => equal(x, v))` compares what is in them
cd "$TMPDIR" || exit
echo 'struct Point { x, y }' > geo.csp
cat > a.csp <<'EOF'
import "./geo"
struct P { x }
s := "abc"
for c in s {
  if c == 'a' { println(c) }
}
println(s[0] == "a", len(s) == "3", str(1) != 1, s == nil)
println([1] == [1], {} != s, s.to_upper() == 'A', (1 < 2) == 1)
switch s {
case 'a', "b": println(1)
case nil: println(2)
}
switch type(s) {
case int: println(3)
}
func of(x) {
  println(x == P(1), P(1) != geo.Point(1, 2), [1, 2][0:1] == x, x == list(x))
  switch x {
  case [1, 2], P(3): println(3)
  case list, map, error: println(4)
  case str: println(5)
  case P, geo.Point: println(6)
  }
}

// These may be true.
println(1 == 1.0, s == bytes("abc"), s[0] == 'a', s[0:1] == "a")
func f(x) => x == 1 || x == "1" || x == nil
var later
func set() { later = "x" }
set()
n := 1
n = "x"
switch len {
case int, len: of(n)
}
println(f(1), later == "x", n == "x")
switch f(1) {
case is int: println(1)
case true: println(2)
}
EOF
"$CSPVM" check a.csp 2>&1

# A tuple is never a list, so `equal` is no help.
cat > b.csp <<'EOF'
println((1, 2) == [1, 2], equal((1, 2), [1, 2]))
switch (1, 2) {
case [1, 2]: println(1)
}
println((1,) + (2,) == (1, 2), [1] + [2] == [1, 2])
EOF
"$CSPVM" check b.csp 2>&1
"$CSPVM" b.csp

# Tuples of two lengths, and lists of lists.
cat > c.csp <<'EOF'
println((1, 2) == (1, 2, 3), () != (1,), (1, 2) == (2, 1))
t := (1, 2)
u := t
switch u {
case (1,), (1, 3): println("no")
}
xs := [[1]]
println([1] in xs, (1, [2]) in xs, t in xs, xs in xs)
var changing = (1, 2)
changing = (1,)
println(changing == (1,), (1,) + (2,) == (1, 2), tuple(xs) == ())
EOF
"$CSPVM" check c.csp 2>&1
