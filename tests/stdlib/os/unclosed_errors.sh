# A file that nobody has closed, and that cannot be written at the end or when
# it is collected, is told on standard error; the status is 1 if it would be 0.
# expect: end: 1
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: collected: 1
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: exit 0: 1
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: exit 3: 3
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: panic: 1
# expect: panic: division by zero
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: told
# expect: closed: 0
# expect: full twice: 1
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: cspvm: cannot write /dev/full: No space left on device
# expect: fine: 0
# expect: text
cd "$TMPDIR" || exit 1
run() {
  printf 'import "os"\nimport "sched"\n%s\n' "$2" > script.csp
  "$CSPVM" --procs 1 script.csp 2> errors
  echo "$1: $?"
  grep -E '^(cspvm|panic):' errors | sort -r
}
open='f := os.open("/dev/full", "w")?'
run end "$open
f.write(\"lost\")?"
run collected "func lose() {
  $open
  f.write(\"lost\")?
}
lose()
for i in 3 { sched.gc() }
f := 1"
run "exit 0" "$open
f.write(\"lost\")?
os.exit(0)"
run "exit 3" "$open
f.write(\"lost\")?
os.exit(3)"
run panic "$open
f.write(\"lost\")?
println(1 / (len(os.args)))"
run closed "$open
f.write(\"lost\")?
if f.close() != nil { println(\"told\") }"
run "full twice" "$open
g := os.open(\"/dev/full\", \"a\")?
f.write(\"lost\")?
g.write(\"lost\")?"
run fine 'os.open("file", "w")?.write("text\n")?'
cat file
