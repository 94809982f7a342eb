# A comment may have NUL bytes, and what follows them belongs to it.
# expect: 1
# expect: 2
# expect: 3
# expect: 4
cd "$TMPDIR"
printf '// a \000 b println(0)\nprintln(1) // \000\nprintln(2)\n' > a.csp
printf '/* \000 println(0) */ println(3) // \000c' > b.csp
"$CSPVM" a.csp && "$CSPVM" b.csp
# The formatter keeps it.
"$CSPVM" fmt a.csp && [ "$(head -1 a.csp | od -An -c | tr -d ' \n')" = '//a\0bprintln(0)\n' ] && echo 4
