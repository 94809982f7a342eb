# What the compiler limits: one less, as much, and one more, which is refused
# with a message that says so.
# timeout: 60
# expect: arguments 239: fine
# expect: arguments 240: fine
# expect: arguments 241: a call has at most 240 arguments
# expect: parameters 239: fine
# expect: parameters 240: fine
# expect: parameters 241: a function or struct has at most 240 parameters
# expect: fields 239: fine
# expect: fields 240: fine
# expect: fields 241: a struct has at most 240 fields
# expect: values 239: fine
# expect: values 240: fine
# expect: values 241: at most 240 values can be returned
# expect: variables 249: fine
# expect: variables 250: fine
# expect: variables 251: this function is too complex: it needs more than 250 variables and temporaries
# expect: captures 254: fine
# expect: captures 255: fine
# expect: captures 256: this function is too complex: it captures more than 255 variables
# expect: constants 65534: fine
# expect: constants 65535: fine
# expect: constants 65536: this function is too complex: it has more than 65535 constants
# expect: brackets 199: fine
# expect: brackets 200: fine
# expect: brackets 201: nested too deeply
# expect: operators 997: fine
# expect: operators 998: fine
# expect: operators 999: nested too deeply
# expect: cases 123: fine
# expect: cases 124: fine
# expect: cases 125: this function is too complex: it needs more than 250 variables and temporaries
gen() {
  awk -v kind="$1" -v n="$2" '
  function list(from, to, pre, post, sep,   i, s) {
    for (i = from; i <= to; i++) s = s (i > from ? sep : "") pre i post
    return s
  }
  function rep(s, n,   r) { while (n-- > 0) r = r s; return r }
  BEGIN {
    if (kind == "arguments")
      print "func f(xs...) { return len(xs) }\nf(" list(1, n, "", "", ", ") ")"
    if (kind == "parameters")
      print "func f(" list(1, n, "x", "", ", ") ") { return x" n " }"
    if (kind == "fields")
      print "struct S { " list(1, n, "x", "", ", ") " }"
    if (kind == "values")
      print "func f() { return " list(1, n, "", "", ", ") " }"
    if (kind == "variables")
      print "func f() {\n" list(1, n, "x", " := 1", "\n") "\n}\nf()"
    if (kind == "captures") {
      print "func f() {\n" list(1, 128, "x", " := 1", "\n") "\nfunc g() {\n" list(129, n, "x", " := 1", "\n")
      print "return func() {\nn := 0\n" list(1, n, "n += x", "", "\n") "\nreturn n\n}\n}\nreturn g()\n}\nf()()" }
    if (kind == "constants") {
      print "func f() {\nx := 0"
      for (i = 100001; i <= 100000 + n; i++) print "x = 0." i "1"
      print "return x\n}\nf()"
    }
    if (kind == "brackets")
      print "x := " rep("[", n) rep("]", n)
    if (kind == "operators")
      print "x := " rep("1 + ", n) "1"
    if (kind == "cases")
      print "func f(c) {\nselect {\n" rep("case v := <-c: return v\n", n) "}\n}"
  }'
}
limit() {
  for n in $(($2 - 1)) $2 $(($2 + 1)); do
    gen "$1" $n > "$TMPDIR/a.csp"
    message=$("$CSPVM" "$TMPDIR/a.csp" 2>&1 | sed -n '1s/.*error: //p')
    echo "$1 $n: ${message:-fine}"
  done
}
limit arguments 240
limit parameters 240
limit fields 240
limit values 240
limit variables 250
limit captures 255
limit constants 65535
limit brackets 200
limit operators 998
limit cases 124
