# What the owner does not have is named with what other types have, and half a
# name with the names that begin so. (`s.push` was said to be `c <- v`.)
# expect: xs.push(values...)
# expect: b.push(pieces...)
# expect stderr: cspvm doc: the library has no `string.push`
# expect stderr:     others have it: `xs.push`, `b.push`
# expect stderr: cspvm doc: the library has no `xs.append`
# expect stderr:     write `xs.push(v)`
# expect stderr: cspvm doc: the library has no `os.sig` (did you mean `os.signals`?)
# expect stderr: cspvm doc: the library has no `xs.so` (did you mean `xs.sort`, `xs.sort_by`?)
# expect stderr: the library has no `list.so` (did you mean `list.sort`, `list.sort_by`?)
# expect stderr: the library has no `os.sig` (did you mean `os.signals`?)
# expect stderr: the library has no `string.push`
"$CSPVM" doc s.push | grep -E "^(xs|b)[.]push"
"$CSPVM" doc string.push
"$CSPVM" doc xs.append 2> "$TMPDIR/append"
cat "$TMPDIR/append" >&2
! grep -q b.push "$TMPDIR/append" || echo "of bytes, too"
"$CSPVM" doc os.sig
"$CSPVM" doc xs.so
printf '%s\n' 'import "os"' 'xs := [1]' 't := "a"' "?xs.so" "?os.sig" "?t.push" |
  "$CSPVM"
:
