# What is wrong with the arguments of a call is told of once.
# expect: 2:13: error: the argument `a` is given twice
# expect: 3:13: error: an argument without a name after named ones
# expect: 4:15: error: a second spread list
# expect: 5:15: error: an argument after a spread list
cat > "$TMPDIR/arguments.csp" << 'END'
func f(a) { return a }
_ = f(a: 1, a: 2)
_ = f(a: 1, f(2))
_ = f([1]..., [2]...)
_ = f([1]..., f(2))
END
"$CSPVM" check "$TMPDIR/arguments.csp" 2>&1 | sed -n 's/.*arguments.csp:\(.*error\)/\1/p'
