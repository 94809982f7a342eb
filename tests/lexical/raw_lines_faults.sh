# Lines between three backquotes that are wrong are named.
# expect: a.csp:3:1: error: line 3 has less indentation than the closing backquotes
# expect: a.csp:5:1: error: line 5 has less indentation than the closing backquotes
# expect: status 2
# expect: a.csp:2:1: error: line 2 has another indentation than the closing backquotes
# expect:     tabs are no spaces: indent both lines alike
# expect: status 2
# expect: a.csp:1:6: error: a new line must follow the three backquotes
# expect: a.csp:2:1: error: `y` is not declared
# expect: status 2
# expect: a.csp:1:6: error: a new line must follow the three backquotes
# expect: status 2
# expect: a.csp:1:6: error: these lines are never closed
# expect: status 2
# expect: a.csp:1:6: error: these lines are never closed
# expect: status 2
# expect: "a\nb\n"
# expect: status 0
# expect: a.csp:2:1: error: line 2 has less indentation than the closing backquotes
# expect: status 2
# expect: "\x00 a\n"
# expect: status 0
# expect: a.csp:1:6: error: these lines are never closed
# expect: status 2
cd "$TMPDIR" || exit
check() {
  printf "$1" > a.csp
  "$CSPVM" a.csp 2>&1 | grep -E 'error:|tabs|^"'
  echo "status ${PIPESTATUS[0]}"
}
check 'x := ```\n  a\n b\n\n\tc\n  ```\n'
check 'x := ```\n    a\n\t```\n'
check 'x := ```one```\ny()\n'
check 'x := ``` \n  a\n  ```\n'
check 'x := ```\n  a\n'
check 'x := ```\n  a```\n ``\n'
check 'x := ```\r\n  a\r\n  b\r\n  ```\r\nprintln(x.quote())\r\n'
# A NUL byte is no blank.
check 'x := ```\n\000\n  ```\n'
check 'x := ```\n  \000 a\n  ```\nprintln(x.quote())\n'
# Nothing follows.
check 'x := ```'
