# check warns of a function that gives values and has an end without, and of a
# `main` that nothing calls. Not where the end may not be reached, or where what
# is returned may be an error.
# expect: a.csp:5:1: warning: the function ends here without a value, but line 3 returns one
# expect:     }
# expect:     ^
# expect:     write `return nil` if there is none
# expect: a.csp:8:1: warning: the function ends here without a value, but line 7 returns one
# expect:     }
# expect:     ^
# expect:     write `return nil` if there is none
# expect: a.csp:42:1: warning: nothing calls `main`: a script runs from its first line
# expect:     func main() { println(sign(1)) }
# expect:     ^~~~
# expect:     write `main()` at the end
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
import "os"
func sign(n) {
  if n > 0 { return 1 }
  if n < 0 { return -1 }
}
func pair(n) {
  if n { return n, nil }
}
func panics(n) {
  if n { return 1 }
  panic("never")
}
func chosen(n) {
  switch n {
  case 1: return "one"
  default: return "else"
  }
}
func branches(n) {
  if n == 1 {
    return 1
  } else if n == 2 {
    select {
    case v := <-after(1ms): return v
    case <-n: panic("never")
    }
  } else { { panic("never") } }
}
func two(n) {
  if n { return 1, nil } else { os.exit(3) }
}
func endless(n) {
  for { if n { return 1 } }
}
func failing(n) {
  if n { return error("bad") }
}
func tries(n) {
  str(n).parse_int()?
  if n { return n, nil }
}
func main() { println(sign(1)) }
_ = (pair, panics, chosen, branches, two, endless, failing, tries)
EOF
"$CSPVM" check a.csp 2>&1
"$CSPVM" a.csp
echo 'func main() { println("called") }
main()' > b.csp
"$CSPVM" check b.csp
