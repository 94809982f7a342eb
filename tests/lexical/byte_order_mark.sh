# A byte order mark may begin a file. Anywhere else it is no letter: names would
# look the same that are not, and the formatter would make it the file's.
# expect: fine
# expect: a.csp:1:2: error: a byte order mark may only begin a file: delete these 3 bytes
# expect: a.csp:1:4: error: a byte order mark may only begin a file: delete these 3 bytes
# expect: a.csp:1:5: error: a byte order mark may only begin a file: delete these 3 bytes
# expect: fmt: status 2, text the same
# expect: ｘ﷐ 1
cd "$TMPDIR" || exit
mark=$(printf '\357\273\277')
check() { "$CSPVM" check a.csp 2>&1 | grep error: ; }
printf '%sprintln("fine")' "$mark" > a.csp
"$CSPVM" a.csp
printf ' %s' "$mark" > a.csp
check
printf '%s%s' "$mark" "$mark" > a.csp
check
printf 'name%sx := 1\n' "$mark" > a.csp
check | head -1
cp a.csp b.csp
"$CSPVM" fmt a.csp 2> /dev/null
echo "fmt: status $?, text $(cmp a.csp b.csp && echo the same)"
# Its first bytes begin other letters, too.
printf 'ｘ﷐ := 1\nprintln("ｘ﷐", ｘ﷐)' > a.csp
"$CSPVM" a.csp
