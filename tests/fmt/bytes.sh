# Line ends, tabs, a byte order mark, no last newline, nothing at all.
# expect: crlf same
# expect: bom same
# expect: tabs same
# expect: no newline same
# expect: empty same
# expect: only a comment same
# expect: utf-8 same
try() {
  printf "$2" | "$CSPVM" fmt - > "$TMPDIR/got" || echo "$1: status $?"
  printf "$3" > "$TMPDIR/want"
  cmp "$TMPDIR/want" "$TMPDIR/got" && echo "$1 same"
}
try crlf 'x:=1\r\n// c \r\ny:=`a\r\nb`\r\n/* d\r\n   e */\r\n' \
  'x := 1\n// c\ny := `a\nb`\n/* d\n   e */\n'
try bom '\357\273\277#!/bin/x\nx:=1' '#!/bin/x\nx := 1\n'
try tabs 'if\ta\t{\n\t\tb(\t)\t// c\t\n\t}\n' 'if a {\n  b()  // c\n}\n'
try 'no newline' 'a()// b' 'a()  // b\n'
try empty '' ''
try 'only a comment' '\n\n  /* a */' '/* a */\n'
try utf-8 'é:="ü" // é\nab:=1 // b' 'é := "ü"  // é\nab := 1   // b\n'
