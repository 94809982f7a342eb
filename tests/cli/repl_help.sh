# :help NAME and ?NAME show what the library says of a function.
# expect: os.exit(status = 0)
# expect:     ends
# expect: s.split(sep = nil)
# expect:     a list of the parts between seps.
# expect: s.split(sep = nil)
# expect:     a list of the parts between seps.
# expect: s.split(sep = nil)
# expect:     a list of the parts between seps.
# expect: :help [NAME] this list
# expect exit: 1
# expect stderr: the library has no `splt` (did you mean `split`?)
# expect stderr: the library has no `zzzzz`
{
  "$CSPVM" << 'END'
?os.exit
:help split
:h strings.split
? s.split
?
?splt
:help zzzzz
END
  status=$?
  echo "$status" > "$TMPDIR/status"
} | sed -n 's/seps\..*/seps./; s/  *\[NAME\]  */ [NAME] /; s/list, or.*/list/; s/    ends.*/    ends/; /^s\.split/p; /^    a list of the parts between seps/p; /^os\./p; /^    ends/p; /^:help/p'
exit "$(cat "$TMPDIR/status")"
