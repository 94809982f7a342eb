# (What the reading thread may still touch is left to the process on purpose.)
# os.exit ends it with its status, also from another goroutine; `:quit` and the
# end of the input with 0.
# expect: 3 4 0 0
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
printf 'import "os"\nos.exit(3)\nprintln("no")\n' | "$CSPVM"; a=$?
printf 'import "os"\ngo os.exit(4)\n<-chan()\n' | "$CSPVM"; b=$?
printf ':quit\npanic("no")\n' | "$CSPVM"; c=$?
"$CSPVM" --procs 2 < /dev/null; echo $a $b $c $?
