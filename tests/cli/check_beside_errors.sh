# Beside a syntax error a name is not called unused if the text that was not
# understood may use it.
# expect: a.csp:3:3: warning: `other` is never used
# expect:       other := 1
# expect:       ^~~~~
# expect: a.csp:5:22: error: unexpected keyword `if`, expected an expression
# expect:       print(os.args, 1 + if data { 1 } else { 2 })
# expect:                          ^~
# expect:     inside an expression, put the statement into parentheses
# expect: status 2
cd "$TMPDIR" || exit
cat > a.csp << 'CSP'
import "os"
func f() {
  other := 1
  data := true
  print(os.args, 1 + if data { 1 } else { 2 })
}
f()
CSP
"$CSPVM" check a.csp 2>&1
echo "status $?"
