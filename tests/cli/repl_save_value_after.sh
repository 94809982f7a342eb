# A value that follows declarations is left out of the script of `:save`.
# expect: 1
# expect: <module os>
# expect: <func f>
# expect: 2
# expect: 5
# expect: 5
# expect: 6 inputs written to saved.csp
# expect: y := 1
# expect: import "os"
# expect: func f() => 3
# expect: // 2
# expect: z := 5
# expect: // _
# expect: 1 3 5 module
cd "$TMPDIR" || exit
"$CSPVM" << 'END'
y := 1; y
import "os"; os
func f() => 3; f
2
z := 5; (z)
_
:save saved.csp
END
cat saved.csp
echo 'println(y, f(), z, type(os))' >> saved.csp
"$CSPVM" saved.csp
