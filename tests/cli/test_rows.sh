# A test that fails in a loop over a table tells the row: after a panic, also in
# a function that it calls, after an error that is made or passed on, in nested
# loops, in loops that take their values apart, with variables that closures
# keep. Nothing is told outside of loops.
# expect: panic: assertion failed: "small" == "large"
# expect:   with c = [9, "large"]
# expect: panic: assertion failed: 9 > 9
# expect:   with x = 9, i = 1, c = [3, 9]
# expect: error: nine is bad
# expect:   with n = 9
# expect: error: made
# expect:   with k = "b", v = 2
# expect: panic: index 3 out of range (length 2)
# expect:   with n = 3
# expect: panic: assertion failed: 1 == 2
# expect: panic: of another goroutine
# expect: panic: assertion failed: len(row) == 0
# expect: panic: assertion failed: 1 == 3
# expect:   with a = 1, b = 3
# expect: panic: assertion failed: 2 == 3
# expect:   with name = "y", in_ = 2, want = 3
# expect: panic: assertion failed: 8 == 7
# expect:   with w = 2, v = [2], b = 8
cd "$TMPDIR"
cat > a_test.csp << 'END'
func size_name(n) => if n < 10 { "small" } else { "large" }
func may_fail(n) {
  if n == 9 { return error("nine is bad") }
  return nil
}
func at(xs, n) => xs[n]
func test_assert() {
  for c in [[0, "small"], [9, "large"], [10, "large"]] {
    assert(size_name(c[0]) == c[1])
  }
}
func test_nested() {
  for i, c in [[10], [3, 9]] {
    for x in c {
      f := func() => x + len(c)
      assert(f() > 0)
      if x == 9 { assert(x > 9) }
    }
  }
}
func test_passed_on() {
  for n in [1, 9] { may_fail(n)? }
}
func test_made() {
  for k, v in {a: 1, b: 2} {
    if v == 2 { return error("made") }
  }
}
func test_called() {
  for n in [0, 3] { at([1, 2], n) }
}
func test_after_a_loop() {
  for n in [1, 9] { _ = may_fail(n); _ = try(func() { panic("x") }) }
  assert(1 == 2)
}
func test_other_goroutine() {
  for n in [1, 9] {
    go { panic("of another goroutine") }
    sleep(1h)
  }
}
func test_long_row() {
  for row in [list(0..1000)] { assert(len(row) == 0, "len(row) == 0") }
}
func test_pairs() {
  for (a, b) in [(1, 1), (1, 3)] { assert(a == b) }
}
func test_tuples() {
  for (name, in_, want) in [("x", 1, 1), ("y", 2, 3)] {
    f := func() => name
    assert(in_ == want)
  }
}
func test_nested_pairs() {
  for (_, b) in [(1, 7), [1, 8]] {
    for v in [[2]] {
      for (w,) in [v] { assert(b == 7) }
    }
  }
}
END
"$CSPVM" test > out
sed -n 's/^    | \(panic: .*\|error: .*\|  with .*\)/\1/p' out | cut -c 1-60 | grep -v 'with row = \[0, 1'
grep -c 'with row = .\{260\}' out > count
[ "$(cat count)" = 1 ] || cat out
