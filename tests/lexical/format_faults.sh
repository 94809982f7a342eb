# A format that is wrong is refused where it stands, with what fmt would say.
# expect: a.csp:2:14: error: unknown verb %z; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: the format ends inside a verb
# expect: a.csp:2:14: error: the format ends inside a verb
# expect: a.csp:2:14: error: a width or precision is too large
# expect: a.csp:2:14: error: a width or precision is too large
# expect: a.csp:2:14: error: unknown verb %ü; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: unknown verb %%; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: unknown verb %{; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: there is no argument for `*` here
# expect: a.csp:2:14: error: unexpected `x` after the verb of a format
# expect: a.csp:2:14: error: unexpected ` ` after the verb of a format
# expect: a.csp:2:12: error: unexpected `:`, expected an expression
# expect: a.csp:2:14: error: the format ends inside a verb
# expect: a.csp:2:13: error: unexpected `:=`, expected `}`
# expect: a.csp:2:14: error: unknown verb %\x1b; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: unknown verb %\x00; there are d i s v q x X o b c f F e E g G t
# expect: a.csp:2:14: error: unexpected `\x00\x1b[31mü` after the verb of a format
# expect: 1 error
# expect: as fmt
cd "$TMPDIR" || exit
fault() {
  printf 'x := 1\nprintln("${%b")\n' "$1" > a.csp
  "$CSPVM" check a.csp 2>&1 | grep -m 1 error:
}
fault 'x:z}'
fault 'x: }'
fault 'x:}'
fault 'x:1000001d}'
fault 'x:.1001f}'
fault 'x:ü}'
fault 'x:%%}'
fault 'x:{}}'
fault 'x:*d}'
fault 'x:8.2fx}'
fault 'x:d }'
fault ':d}'
fault 'x:5'
fault 'x:=5d}'

# What would upset a terminal is shown as an escape.
fault 'x:\0033[31md}'
fault 'x:\0000d}'
fault 'x:d\0000\0033[31mü}'

# After an error the colon of something else is no format.
printf 'x := true\nprintln("${x ? 1 : 2}")\n' > a.csp
echo "$("$CSPVM" check a.csp 2>&1 | grep -c error:) error"

# What fmt refuses is refused here, and nothing else.
{
  echo 'import "fmt"'
  for format in d 5d -5d +05d '# x' .3f 8.f 1000000d 1000001d .1000f .1001f 99999999999999999999d \
    y k p n '' 5 5. '-' .5 '+-#0 8.3g' l ld .-3f 3-d '$' '\\' a A D F G E X i s v q o b c t u U T; do
    printf 'println("${1:%s}")\n' "$format" > a.csp
    "$CSPVM" check a.csp > /dev/null 2>&1
    printf 'check(%s, %s)\n' "\"%$format\"" $?
  done
  cat << 'END'
func check(format, status) {
  _, err := try(func() => fmt.sprintf(format, 1))
  text := "${err}"
  refused := text.contains("verb") || text.contains("too large") || text.contains("uses only")
  if refused != (status != 0) { println(format, status, err) }
}
println("as fmt")
END
} > b.csp
"$CSPVM" b.csp
